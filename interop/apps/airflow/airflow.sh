# Airflow as its own documentation sets it up for FAB, with its home here.
export AIRFLOW_HOME="$PWD"
export AIRFLOW__CORE__AUTH_MANAGER=airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager
export AIRFLOW__CORE__LOAD_EXAMPLES=False
export AIRFLOW__API__BASE_URL="$URL"
exec airflow "$@"
