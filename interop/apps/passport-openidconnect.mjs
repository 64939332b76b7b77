import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own } from './serve.mjs'

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: ISSUER,
      authorizationURL: `${ISSUER}/oauth2/authorize`,
      tokenURL: `${ISSUER}/oauth2/token`,
      userInfoURL: `${ISSUER}/oauth2/userinfo`,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      callbackURL: `${own}/callback`,
      scope: ['email', 'profile'],
      nonce: true,
    },
    (issuer, profile, done) => done(null, profile),
  ),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: 'of the interop run', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/login', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect'), (_, response) => response.redirect('/who'))
app.get('/who', (request, response) =>
  response.json({ sub: request.user?.id, name: request.user?.displayName }),
)
app.get('/logout', (request, response, next) =>
  request.logout((error) => (error ? next(error) : response.json({}))),
)
app.get('/', (_, response) => response.json({}))
app.listen(Number(new URL(own).port), '127.0.0.1')
