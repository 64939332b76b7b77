SECRET_KEY = 'a secret of the interop run, which is long'
SQLALCHEMY_DATABASE_URI = 'sqlite:///superset.sqlite'
# On http, which the run has.
TALISMAN_ENABLED = False
# PASTE
