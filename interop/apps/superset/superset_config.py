import os

SECRET_KEY = 'a secret of the interop run, which is long'
# Superset and its migrations take a relative path for two different ones.
SQLALCHEMY_DATABASE_URI = f'sqlite:///{os.getcwd()}/superset.sqlite'
# On http, which the run has.
TALISMAN_ENABLED = False
# PASTE
