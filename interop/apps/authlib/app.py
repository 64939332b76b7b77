import os

from flask import Flask, jsonify

app = Flask(__name__)
# PASTE


# Where it keeps its tokens is the application's own.
kept = {}
exchange = oauth.tessera.authorize_access_token


def keeping(**more):
    kept.update(exchange(**more))
    return kept


oauth.tessera.authorize_access_token = keeping


@app.get('/')
def home():
    return jsonify({})


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


app.run(port=int(os.environ['PORT']))
