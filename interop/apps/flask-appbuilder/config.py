SECRET_KEY = 'of the interop run'
SQLALCHEMY_DATABASE_URI = 'sqlite:///app.sqlite'
# PASTE
