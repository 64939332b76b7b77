import type { Child } from 'hono/jsx'
import type { ErrorCode } from '../../protocol/errors.ts'
import { phrase } from './phrase.ts'

interface ErrorText {
  heading: string
  text: string
  next: string
}

const objectNotSupported = {
  heading: 'This kind of request is not supported',
  text: 'The application packed its request in a way that this service does not read.',
  next: 'Tell the people who run the application. They should send the parameters themselves, without request and request_uri.',
}

/** What the error page says of a code: what happened, and what the person or the developer can do next. */
export const errors = {
  invalid_client: {
    heading: 'This application is not known here',
    text: 'The application that sent you here is not registered, or it has been switched off.',
    next: 'Tell the people who run the application. They should check the client_id and whether the client is active.',
  },
  invalid_redirect_uri: {
    heading: 'The return address is not registered',
    text: 'The application asked to send you to an address that is not registered for it. You were stopped here to keep you safe.',
    next: 'Tell the people who run the application. The address must match a registered one exactly, character by character.',
  },
  invalid_request: {
    heading: 'The request is not valid',
    text: 'Something in this request is missing or malformed.',
    next: 'Go back to the application and start again. If it happens again, tell the people who run the application.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'This sign-in is over',
    text: 'It took too long, was already completed, or was started in another browser.',
    next: 'Go back to the application and start again.',
  },
  setup_link_ended: {
    heading: 'This link cannot be used',
    text: 'It was used already, is older than an hour or incomplete, or somebody administers this installation by now.',
    next: 'Check that you opened the whole link. Otherwise ask the people who run this service for another one.',
  },
  upstream_invitation_ended: {
    heading: 'This set-up link cannot be used',
    text: 'It has ended, was opened in another browser, or is incomplete. Or whoever sent it may not make it any more.',
    next: 'Go on in the browser where you began. Otherwise ask whoever sent it for another one.',
  },
  invitation_ended: {
    heading: 'This invitation cannot be used',
    text: 'It was used already, withdrawn or replaced by a newer one, or the link is incomplete.',
    next: 'Check that you opened the whole link of the newest message. Otherwise ask whoever invited you for another one.',
  },
  managed_by_file: {
    heading: 'This is decided elsewhere',
    text: 'A file of the people who run this service says what you may do here. Nothing was changed.',
    next: 'Ask whoever invited you, or the people who run this service.',
  },
  sign_in_required: {
    heading: 'Your sign-in has ended',
    text: 'You are not signed in to this application, or your sign-in has ended. What you sent did not reach it.',
    next: 'Open the application in another tab and sign in there. Then go back and send it again.',
  },
  permission_missing: {
    heading: 'You may not do this',
    text: 'What you may do in this application depends on your role.',
    next: 'Ask the administrators of your organisation. If you have another role too, sign out of the application and choose that one.',
  },
  forward_auth_refused: {
    heading: 'This address cannot be opened',
    text: 'The application lets nobody open this address, or it could not be checked.',
    next: 'Check the address. If it should work, tell the people who run the application.',
  },
  access_denied: {
    heading: 'You were not signed in',
    text: 'The sign-in was cancelled, or none of your roles opens this application.',
    next: 'Open the application again. If you should have access, ask the administrators of your organisation.',
  },
  form_expired: {
    heading: 'This form has expired',
    text: 'The page was open for too long, or the browser did not send its cookies. Nothing was changed.',
    next: 'Go back, reload the page and try again. Cookies must be allowed for this site.',
  },
  not_found: {
    heading: 'Page not found',
    text: 'There is nothing at this address.',
    next: 'Check the address, or go back to the application you came from.',
  },
  method_not_allowed: {
    heading: 'This address cannot be used this way',
    text: 'The address exists, but it does not answer this kind of request.',
    next: 'Go back to the application you came from and start again.',
  },
  too_many_requests: {
    heading: 'Too many requests',
    text: 'There were more requests in a short time than are allowed.',
    next: 'Wait a moment, then try again.',
  },
  temporarily_unavailable: {
    heading: 'Not available right now',
    text: 'The service is busy or being maintained.',
    next: 'Please try again in a few minutes.',
  },
  server_error: {
    heading: 'Something went wrong on our side',
    text: 'The request could not be completed. It was not your fault.',
    next: 'Please try again. If it happens again, tell support the request number below.',
  },
} satisfies Partial<Record<ErrorCode, ErrorText>>

/** What pages say of a situation that the code alone does not tell. */
export const situations = {
  no_cookies: {
    heading: 'Your browser sent no cookies',
    text: 'Without cookies this service cannot tell that a sign-in is yours. Your browser may block them, or this page was opened in another browser.',
    next: 'Allow cookies for this address. Then go back to the application and start again.',
  },
  too_many_cookies: {
    heading: 'Your browser sends too many cookies',
    text: 'The cookies that it has for this address are more than this service reads. Most of them come from other services at the same address.',
    next: 'Delete the cookies of this address in the settings of your browser, then open the page again.',
  },
  no_redirect_uri: {
    heading: 'The return address is missing',
    text: 'The application did not say where to return to after the sign-in.',
    next: 'Tell the people who run the application. They should send a registered address as the redirect_uri.',
  },
  signed_in: {
    heading: 'You are signed in',
    text: (client: Child) =>
      phrase`Your sign-in at ${client} is done. There is nothing left to do on this page.`,
    next: 'Go forward in your browser, or open the application again.',
  },
  /** What to do, in the place of the words of the code, where the application is known. */
  start_again: (client: Child) => phrase`Go back to ${client} and start again.`,
}

/** What the protocol says of a refusal, sentence by sentence: the others say the same in their language. */
export const details = {
  session_form_open: 'The form does not belong to this session. Open it again.',
  session_form_back: 'The form does not belong to this session. Go back and try again.',
  browser_form_open: 'The form does not belong to this browser. Open it again.',
  browser_form_link: 'The form does not belong to this browser. Open the link again.',
  browser_form_back: 'The form does not belong to this browser. Go back and try again.',
  device_code: 'The code has expired, or was answered already. Start again on the device.',
  sign_in_over:
    'This sign-in is over, or was begun in another browser. Go back to the application and start again.',
  not_pushed:
    'The request_uri is unknown, has expired, was used, or belongs to another client. Go back to the application and start again.',
  sign_in_done: 'This sign-in is done already. Go back to the application.',
  no_cookie:
    'The browser sent no cookie, so nothing shows that this sign-in is its own. Allow cookies for this address, go back to the application and start again.',
  no_passkeys: 'There are no passkeys where the issuer is an IP address.',
  no_mail: 'This service sends no mail: ask the people who run it for a link.',
  setup_link:
    'This link can not be used, or not any more. As long as nobody administers the service, its operator makes another with tessera setup --link.',
  upstreamInvitation:
    'This link can not be used, not any more, or not in this browser. Whoever sent it can make another.',
  invitation: 'This link can not be used, or not any more. Whoever invited you can send another.',
  client: 'The client_id is missing or unknown, or the client is inactive.',
  document_unknown:
    'No client is registered for the document at {host}. An administrator registers it: {command}',
  document_unread: 'The document of the client at {host} can not be used: it {reason}.',
  client_of_logout: 'The client_id is unknown, or the client is inactive.',
  address_not_registered: 'The {name} is not exactly one that is registered for this client.',
  hint_of_others: 'The id_token_hint is not an ID token of this service.',
  hint_of_client: 'The id_token_hint was issued to another client.',
  repeated: 'The parameter {name} is repeated; send it once.',
  too_long: 'The parameter {name} is longer than {count} characters.',
  nul: 'The parameter {name} holds a NUL character.',
  utf8: 'The parameter {name} is not valid UTF-8.',
  utf8_body: 'The body is not valid UTF-8.',
  too_many: 'The request has more than {count} parameters.',
  objects: 'The parameter {name} is not supported; send the parameters themselves.',
  purpose_of_page: 'The purpose is none of this page.',
  purpose_of_sign_in: 'The purpose is none of this sign-in.',
  language: 'It takes a locale that there is, and a path of this service to return to.',
  nothing_here: 'There is nothing at this address. The addresses are in /api/doc.',
  method: 'This address does not take {method}; it takes {allowed}.',
  form_type: 'The body must be sent as application/x-www-form-urlencoded.',
  too_large: 'The body is larger than this address takes.',
  compressed: 'The body is compressed by Content-Encoding, which is not read here. Send it as it is.',
  cookies_too_large: 'The cookies for {host} are larger than this service reads.',
  headers_too_large: 'The headers are too large.',
  malformed: 'The request is malformed.',
  permission_needed: 'The permission {name} is needed for this address.',
  no_route: 'The application has no route for this address.',
  misasked: 'What the proxy asks can not be answered; the log says why.',
  sign_in_needed: 'Nobody is signed in, or the sign-in has ended. Open the page again to sign in.',
  not_let_in: 'The sign-in was cancelled, or nobody may enter by it.',
  host: 'The Host header is missing.',
  address_missing: 'The {name} is missing.',
  expect: 'The expectation of the Expect header is not known here.',
  authorization: 'The Authorization header was sent more than once.',
  cut_off: 'The connection was closed before its request was read.',
  often: 'Too many requests. Try again in {seconds} s.',
  busy: 'Too many people are signing in at the same time. Try again in a few seconds.',
  database: 'The service can not reach its database. Try again in a few seconds.',
  full: 'The disk of the database is full, or fails: nothing was changed. Tell the people who run the service.',
  server: 'Something went wrong on our side. Tell the operator the request id.',
}
