-- Of a body that a model saved: until then, the test address of webhooks runs it as a draft. Epoch ms.
alter table workflow_bodies add column trial_until bigint;
