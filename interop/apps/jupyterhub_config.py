import os

issuer, own = os.environ['ISSUER'], os.environ['URL']
c = get_config()  # noqa: F821
c.JupyterHub.bind_url = own
c.JupyterHub.hub_port = int(os.environ['PORT']) + 1
c.ConfigurableHTTPProxy.api_url = f'http://127.0.0.1:{int(os.environ["PORT"]) + 2}'
c.JupyterHub.authenticator_class = 'generic-oauth'
c.GenericOAuthenticator.client_id = os.environ['CLIENT_ID']
c.GenericOAuthenticator.client_secret = os.environ['CLIENT_SECRET']
c.GenericOAuthenticator.oauth_callback_url = f'{own}/hub/oauth_callback'
c.GenericOAuthenticator.authorize_url = f'{issuer}/oauth2/authorize'
c.GenericOAuthenticator.token_url = f'{issuer}/oauth2/token'
c.GenericOAuthenticator.userdata_url = f'{issuer}/oauth2/userinfo'
c.GenericOAuthenticator.logout_redirect_url = (
    f'{issuer}/oauth2/logout?client_id={os.environ["CLIENT_ID"]}&post_logout_redirect_uri={own}/'
)
c.GenericOAuthenticator.scope = os.environ['SCOPE'].split()
c.GenericOAuthenticator.enable_pkce = True
c.GenericOAuthenticator.username_claim = 'email'
c.GenericOAuthenticator.allow_all = True
c.JupyterHub.spawner_class = 'simple'
