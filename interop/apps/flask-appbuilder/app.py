import os

from flask import Flask, jsonify
from flask_appbuilder import AppBuilder
from flask_appbuilder.utils.legacy import get_sqla_class
from flask_login import current_user

app = Flask(__name__)
app.config.from_pyfile('config.py')
db = get_sqla_class()()
db.init_app(app)
with app.app_context():
    AppBuilder(app, db.session)


@app.get('/who')
def who():
    return jsonify({'email': getattr(current_user, 'email', '')})


app.run(port=int(os.environ['PORT']))
