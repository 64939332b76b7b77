from fastapi import FastAPI

app = FastAPI()
# PASTE


@app.get('/')
def home():
    return {}


@app.get('/who')
def who(request: Request):  # noqa: F821
    return {'sub': request.session.get('user', {}).get('sub')}
