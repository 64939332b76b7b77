import express from 'express'
import session from 'express-session'
import { own } from './serve.mjs'

// PASTE
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
