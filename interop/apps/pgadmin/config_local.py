import os

DATA_DIR = os.getcwd()
SERVER_MODE = True
DEFAULT_SERVER = '127.0.0.1'
DEFAULT_SERVER_PORT = int(os.environ['PORT'])
UPGRADE_CHECK_ENABLED = False
# PASTE
