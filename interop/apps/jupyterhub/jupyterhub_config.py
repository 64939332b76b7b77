import os

c = get_config()  # noqa: F821
c.JupyterHub.bind_url = os.environ['URL']
c.JupyterHub.hub_port = int(os.environ['PORT']) + 1
c.ConfigurableHTTPProxy.api_url = f'http://127.0.0.1:{int(os.environ["PORT"]) + 2}'
c.JupyterHub.spawner_class = 'simple'
# PASTE
