/** Names of OpenTelemetry's conventions, which its package of names has in 6 MB. */
export const ATTR_ERROR_TYPE = "error.type";
export const ATTR_HTTP_REQUEST_METHOD = "http.request.method";
export const ATTR_HTTP_RESPONSE_STATUS_CODE = "http.response.status_code";
export const ATTR_HTTP_ROUTE = "http.route";
export const ATTR_SERVICE_NAME = "service.name";
export const ATTR_SERVICE_VERSION = "service.version";
export const ATTR_URL_SCHEME = "url.scheme";
