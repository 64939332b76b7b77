import os

import django
from django.conf import settings

settings.configure(
    DEBUG=True,
    SECRET_KEY='of the interop run',
    ALLOWED_HOSTS=['127.0.0.1'],
    ROOT_URLCONF=__name__,
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}},
    TEMPLATES=[
        {
            'BACKEND': 'django.template.backends.django.DjangoTemplates',
            'APP_DIRS': True,
            'OPTIONS': {
                'context_processors': [
                    'django.template.context_processors.request',
                    'django.contrib.auth.context_processors.auth',
                    'django.contrib.messages.context_processors.messages',
                ]
            },
        }
    ],
    INSTALLED_APPS=[
        'django.contrib.auth',
        'django.contrib.contenttypes',
        'django.contrib.sessions',
        'django.contrib.messages',
        'allauth',
        'allauth.account',
        'allauth.socialaccount',
        'allauth.socialaccount.providers.openid_connect',
    ],
    MIDDLEWARE=[
        'django.contrib.sessions.middleware.SessionMiddleware',
        'django.contrib.auth.middleware.AuthenticationMiddleware',
        'django.contrib.messages.middleware.MessageMiddleware',
        'allauth.account.middleware.AccountMiddleware',
    ],
    AUTHENTICATION_BACKENDS=['allauth.account.auth_backends.AuthenticationBackend'],
    SOCIALACCOUNT_PROVIDERS={
        'openid_connect': {
            'OAUTH_PKCE_ENABLED': True,
            'APPS': [
                {
                    'provider_id': 'tessera',
                    'name': 'Tessera',
                    'client_id': os.environ['CLIENT_ID'],
                    'secret': os.environ['CLIENT_SECRET'],
                    'settings': {'server_url': os.environ['ISSUER']},
                }
            ],
        }
    },
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    ACCOUNT_LOGOUT_ON_GET=True,
    ACCOUNT_EMAIL_VERIFICATION='none',
    ACCOUNT_DEFAULT_HTTP_PROTOCOL='http',
    EMAIL_BACKEND='django.core.mail.backends.dummy.EmailBackend',
    LOGIN_REDIRECT_URL='/who',
    LOGOUT_REDIRECT_URL='/',
)
django.setup()

from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [
    path('', lambda request: JsonResponse({})),
    path('who', lambda request: JsonResponse({'email': getattr(request.user, 'email', '')})),
    path('accounts/', include('allauth.urls')),
]

if __name__ == '__main__':
    from django.core.management import execute_from_command_line

    execute_from_command_line(['app', 'migrate', '--verbosity', '0'])
    execute_from_command_line(['app', 'runserver', '--noreload', os.environ['PORT']])
