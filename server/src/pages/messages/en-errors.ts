import type { ErrorCode } from '../../protocol/errors.ts'

interface Words {
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
} satisfies Partial<Record<ErrorCode, Words>>
