import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session

issuer, own = os.environ['ISSUER'], os.environ['URL']
app = Flask(__name__)
app.secret_key = 'of the interop run'
oauth = OAuth(app)
oauth.register(
    'tessera',
    client_id=os.environ['CLIENT_ID'],
    client_secret=os.environ['CLIENT_SECRET'],
    server_metadata_url=f'{issuer}/.well-known/openid-configuration',
    client_kwargs={'scope': os.environ['SCOPE'], 'code_challenge_method': 'S256'},
)
kept = {}


@app.get('/')
def home():
    return jsonify({})


@app.get('/login')
def login():
    return oauth.tessera.authorize_redirect(f'{own}/callback')


@app.get('/callback')
def callback():
    kept.update(oauth.tessera.authorize_access_token())
    session['user'] = kept['userinfo']
    return redirect('/who')


@app.get('/who')
def who():
    return jsonify({'sub': session.get('user', {}).get('sub')})


@app.get('/refresh')
def refresh():
    before = kept['access_token']
    kept.update(oauth.tessera.fetch_access_token(grant_type='refresh_token', refresh_token=kept['refresh_token']))
    return jsonify({'refreshed': kept['access_token'] != before})


@app.get('/call')
def call():
    return jsonify(oauth.tessera.userinfo(token=kept))


@app.get('/logout')
def logout():
    session.clear()
    end = oauth.tessera.load_server_metadata()['end_session_endpoint']
    return redirect(f'{end}?id_token_hint={kept["id_token"]}&post_logout_redirect_uri={own}/')


app.run(port=int(os.environ['PORT']))
