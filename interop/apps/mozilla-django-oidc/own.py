# For the calls that the application makes.
OIDC_STORE_ACCESS_TOKEN = True
