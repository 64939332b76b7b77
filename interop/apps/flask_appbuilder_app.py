import os

from flask import Flask, jsonify
from flask_appbuilder import AppBuilder
from flask_appbuilder.const import AUTH_OAUTH
from flask_appbuilder.security.sqla.manager import SecurityManager
from flask_appbuilder.utils.legacy import get_sqla_class
from flask_login import current_user

issuer = os.environ['ISSUER']
app = Flask(__name__)
app.config.update(
    SECRET_KEY='of the interop run',
    SQLALCHEMY_DATABASE_URI='sqlite:///app.sqlite',
    AUTH_TYPE=AUTH_OAUTH,
    AUTH_USER_REGISTRATION=True,
    AUTH_USER_REGISTRATION_ROLE='Public',
    OAUTH_PROVIDERS=[
        {
            'name': 'tessera',
            'icon': 'fa-key',
            'token_key': 'access_token',
            'remote_app': {
                'client_id': os.environ['CLIENT_ID'],
                'client_secret': os.environ['CLIENT_SECRET'],
                'server_metadata_url': f'{issuer}/.well-known/openid-configuration',
                'api_base_url': f'{issuer}/oauth2/',
                'client_kwargs': {'scope': os.environ['SCOPE'], 'code_challenge_method': 'S256'},
            },
        }
    ],
)


class TesseraSecurityManager(SecurityManager):
    def oauth_user_info(self, provider, response=None):
        person = self.appbuilder.sm.oauth_remotes[provider].get('userinfo').json()
        return {
            'username': person['sub'],
            'email': person['email'],
            'first_name': person.get('given_name', person['name']),
            'last_name': person.get('family_name', ''),
            'role_keys': [person['role_code']],
        }


db = get_sqla_class()()
db.init_app(app)
with app.app_context():
    AppBuilder(app, db.session, security_manager_class=TesseraSecurityManager)


@app.get('/who')
def who():
    return jsonify({'email': getattr(current_user, 'email', '')})


app.run(port=int(os.environ['PORT']))
