export { toBytesText } from "./bytes-text.ts";
export type {
  ConnectorDefinition,
  Health,
  LookupItem,
  OperationDefinition,
  OperationExample,
  OperationSpec,
} from "./connector-definition.ts";
export type { ConnectorSource, OperationSource, RowConnectorSource } from "./connector-source.ts";
export { cutText } from "./cut-text.ts";
export { defineConnector, defineConnectorWith, defineRowConnector } from "./define-connector.ts";
export type {
  DiscoverContext,
  DiscoveredOperation,
  FoundServer,
  RowOperation,
  RowOperationContext,
} from "./discovered-operations.ts";
export { toDurationText } from "./duration-text.ts";
export { endSentence } from "./end-sentence.ts";
export { type Field, type FieldRecord, type FieldValues, wick } from "./field-tags.ts";
export { checkParams } from "./fields/check-field-params.ts";
export { checkConfig, readConfig, type StoredText, toStoredText } from "./fields/config-values.ts";
export { cutIssuePath, describeIssues } from "./fields/describe-issues.ts";
export { toFieldNames } from "./fields/field-names.ts";
export { type SettingsGroup, type SettingsRow, toSettings } from "./fields/field-settings.ts";
export type {
  FieldBase,
  FieldEmbedding,
  FieldGroup,
  FieldSpec,
  FieldWidget,
  Issue,
  ValuesByKey,
  VisibleWhen,
} from "./fields/field-spec.ts";
export { findMissing, isFieldShown } from "./fields/find-missing.ts";
export { toInputSchema } from "./fields/input-schema.ts";
export type { Integer } from "./fields/number-value.ts";
export { parseFields } from "./fields/parse-fields.ts";
export type { PickedItem } from "./fields/tag-value.ts";
export {
  listUndeclared,
  selectOp,
  toWidgetInput,
  toWidgetParams,
  type WidgetClick,
} from "./fields/widget-params.ts";
export { isWireKey, toWireKey } from "./fields/wire-key.ts";
export { InvalidInputError } from "./invalid-input-error.ts";
export {
  findNumberText,
  isJsonObject,
  type Json,
  type JsonSchema,
  parseJson,
  toJsonText,
} from "./json.ts";
export { oneLine } from "./one-line.ts";
export type {
  CallTools,
  ConnectorLog,
  HealthContext,
  LookupContext,
  MaskOptions,
  OperationContext,
  OperationTools,
  TraceContext,
  ValuesByName,
} from "./operation-context.ts";
export {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./outbound/guarded-fetch.ts";
export {
  createGuardedResolve,
  type GuardedResolve,
  type GuardedResolveOptions,
  type GuardedTarget,
} from "./outbound/guarded-resolve.ts";
export { OutboundError, type OutboundErrorCode } from "./outbound/outbound-error.ts";
export { findAllowFault, type OutboundPolicy } from "./outbound/outbound-policy.ts";
export type { FetchInit } from "./outbound/outbound-request.ts";
export { decodePath, holdsDotSegment, isBelow } from "./outbound/path-below.ts";
export { toBaseUrl, toPathPart, toRequestUrl } from "./outbound/request-address.ts";
export { readRequestedWait } from "./outbound/requested-wait.ts";
export { withTraceContext } from "./outbound/send-trace-context.ts";
export {
  runDiscovery,
  runFindServers,
  runGenerator,
  runHealth,
  runLookup,
  runOperation,
  runRowOperation,
} from "./run-operation.ts";
export { SetupError } from "./setup-error.ts";
export { findNearest, suggest } from "./suggest.ts";
export { type TestCall, testOperation } from "./test-operation.ts";
export {
  type ChargeChars,
  containsText,
  countText,
  createTextFinder,
  findText,
  replaceText,
  splitText,
} from "./text-search.ts";
export { UpstreamError } from "./upstream-error.ts";
