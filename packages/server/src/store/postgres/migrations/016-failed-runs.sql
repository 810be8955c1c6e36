-- A text in the errors is searched among the runs that failed. The entry is written with the failure.
create index connector_runs_error on connector_runs (id desc) where error_code is not null;
