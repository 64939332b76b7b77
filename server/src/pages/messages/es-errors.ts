import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Este tipo de solicitud no se admite',
  text: 'La aplicación ha empaquetado su solicitud de una forma que este servicio no lee.',
  next: 'Avise a los responsables de la aplicación. Debe enviar los parámetros directamente, sin request ni request_uri.',
}

export const errors: typeof english = {
  invalid_client: {
    heading: 'Esta aplicación no se conoce aquí',
    text: 'La aplicación que le ha enviado aquí no está registrada o se ha desactivado.',
    next: 'Avise a los responsables de la aplicación. Deben comprobar el client_id y si el cliente está activo.',
  },
  invalid_redirect_uri: {
    heading: 'La dirección de retorno no está registrada',
    text: 'La aplicación quería enviarle a una dirección que no está registrada para ella. Por su seguridad, no se continúa.',
    next: 'Avise a los responsables de la aplicación. La dirección debe coincidir exactamente, carácter por carácter, con una registrada.',
  },
  invalid_request: {
    heading: 'La solicitud no es válida',
    text: 'En esta solicitud falta algo o algo está mal formado.',
    next: 'Vuelva a la aplicación y empiece de nuevo. Si vuelve a ocurrir, avise a los responsables de la aplicación.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'Este inicio de sesión ha terminado',
    text: 'Ha durado demasiado, ya se había completado o se empezó en otro navegador.',
    next: 'Vuelva a la aplicación y empiece de nuevo.',
  },
  setup_link_ended: {
    heading: 'Este enlace no se puede usar',
    text: 'Ya se ha usado, tiene más de una hora o está incompleto, o alguien administra ya esta instalación.',
    next: 'Compruebe que ha abierto el enlace completo. Si no, pida otro a los responsables de este servicio.',
  },
  upstream_invitation_ended: {
    heading: 'Este enlace de configuración no se puede usar',
    text: 'Ha terminado, se abrió en otro navegador o está incompleto. O quien lo envió ya no puede darlo.',
    next: 'Siga en el navegador en el que empezó. Si no, pida otro a quien se lo envió.',
  },
  invitation_ended: {
    heading: 'Esta invitación no se puede usar',
    text: 'Ya se ha usado, se ha retirado o se ha sustituido por una más reciente, o el enlace está incompleto.',
    next: 'Compruebe que ha abierto el enlace completo del mensaje más reciente. Si no, pida otro a quien le invitó.',
  },
  managed_by_file: {
    heading: 'Esto se decide en otro lugar',
    text: 'Un archivo de los responsables de este servicio dice lo que puede hacer aquí. No se ha cambiado nada.',
    next: 'Pregunte a quien le invitó o a los responsables de este servicio.',
  },
  sign_in_required: {
    heading: 'Su sesión ha terminado',
    text: 'No ha iniciado sesión en esta aplicación o su sesión ha terminado. Lo que envió no le ha llegado.',
    next: 'Abra la aplicación en otra pestaña e inicie sesión allí. Después vuelva y envíelo de nuevo.',
  },
  permission_missing: {
    heading: 'No puede hacer esto',
    text: 'Lo que puede hacer en esta aplicación depende de su rol.',
    next: 'Pregunte a los administradores de su organización. Si tiene también otro rol, cierre la sesión en la aplicación y elija ese.',
  },
  forward_auth_refused: {
    heading: 'Esta dirección no se puede abrir',
    text: 'La aplicación no deja que nadie abra esta dirección, o no se ha podido comprobar.',
    next: 'Compruebe la dirección. Si debería funcionar, avise a los responsables de la aplicación.',
  },
  access_denied: {
    heading: 'No se ha iniciado la sesión',
    text: 'El inicio de sesión se canceló, o ninguno de sus roles abre esta aplicación.',
    next: 'Abra la aplicación de nuevo. Si debería tener acceso, pregunte a los administradores de su organización.',
  },
  form_expired: {
    heading: 'Este formulario ha caducado',
    text: 'La página ha estado abierta demasiado tiempo o el navegador no ha enviado sus cookies. No se ha cambiado nada.',
    next: 'Vuelva atrás, recargue la página e inténtelo de nuevo. Las cookies deben estar permitidas para este sitio.',
  },
  not_found: {
    heading: 'Página no encontrada',
    text: 'En esta dirección no hay nada.',
    next: 'Compruebe la dirección o vuelva a la aplicación de la que viene.',
  },
  method_not_allowed: {
    heading: 'Esta dirección no se puede usar así',
    text: 'La dirección existe, pero no responde a este tipo de solicitud.',
    next: 'Vuelva a la aplicación de la que viene y empiece de nuevo.',
  },
  too_many_requests: {
    heading: 'Demasiadas solicitudes',
    text: 'Ha habido más solicitudes en poco tiempo de las permitidas.',
    next: 'Espere un momento e inténtelo de nuevo.',
  },
  temporarily_unavailable: {
    heading: 'No disponible en este momento',
    text: 'El servicio está saturado o en mantenimiento.',
    next: 'Inténtelo de nuevo en unos minutos.',
  },
  server_error: {
    heading: 'Algo ha fallado por nuestra parte',
    text: 'No se ha podido completar la solicitud. No ha sido culpa suya.',
    next: 'Inténtelo de nuevo. Si vuelve a ocurrir, indique al soporte el número de solicitud de abajo.',
  },
}

export const situations = {
  no_cookies: {
    heading: 'Su navegador no ha enviado cookies',
    text: 'Sin cookies este servicio no puede saber que un inicio de sesión es suyo. Puede que su navegador las bloquee, o que esta página se abriera en otro navegador.',
    next: 'Permita las cookies de esta dirección. Después vuelva a la aplicación y empiece de nuevo.',
  },
  too_many_cookies: {
    heading: 'Su navegador envía demasiadas cookies',
    text: 'Tiene para esta dirección más cookies de las que este servicio lee. La mayoría son de otros servicios en la misma dirección.',
    next: 'Borre las cookies de esta dirección en los ajustes del navegador y abra la página otra vez.',
  },
  no_redirect_uri: {
    heading: 'Falta la dirección de retorno',
    text: 'La aplicación no ha dicho adónde volver después de iniciar sesión.',
    next: 'Avise a los responsables de la aplicación. Deben enviar una dirección registrada como redirect_uri.',
  },
  signed_in: {
    heading: 'Ha iniciado sesión',
    text: (client: Child) =>
      phrase`Su inicio de sesión en ${client} está hecho. En esta página no queda nada por hacer.`,
    next: 'Avance en su navegador o abra la aplicación otra vez.',
  },
  start_again: (client: Child) => phrase`Vuelva a ${client} y empiece de nuevo.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'El formulario no pertenece a esta sesión. Ábralo de nuevo.',
  session_form_back: 'El formulario no pertenece a esta sesión. Vuelva atrás e inténtelo de nuevo.',
  browser_form_open: 'El formulario no pertenece a este navegador. Ábralo de nuevo.',
  browser_form_link: 'El formulario no pertenece a este navegador. Abra el enlace de nuevo.',
  browser_form_back: 'El formulario no pertenece a este navegador. Vuelva atrás e inténtelo de nuevo.',
  device_code: 'El código ha caducado o ya se ha respondido. Empiece de nuevo en el dispositivo.',
  sign_in_over:
    'Este inicio de sesión ha terminado o se empezó en otro navegador. Vuelva a la aplicación y empiece de nuevo.',
  not_pushed:
    'La request_uri es desconocida, ha caducado, ya se usó o es de otro cliente. Vuelva a la aplicación y empiece de nuevo.',
  sign_in_done: 'Este inicio de sesión ya está hecho. Vuelva a la aplicación.',
  no_cookie:
    'El navegador no ha enviado ninguna cookie, así que nada muestra que este inicio de sesión sea suyo. Permita las cookies de esta dirección, vuelva a la aplicación y empiece de nuevo.',
  no_passkeys: 'No hay llaves de acceso donde el emisor es una dirección IP.',
  no_mail: 'Este servicio no envía correo: pida un enlace a sus responsables.',
  setup_link:
    'Este enlace no sirve, o ya no sirve. Mientras nadie administre el servicio, su operador crea otro con tessera setup --link.',
  upstreamInvitation:
    'Este enlace no se puede usar, ya no, o no en este navegador. Quien lo envió puede crear otro.',
  invitation: 'Este enlace no sirve, o ya no sirve. Quien le invitó puede enviar otro.',
  client: 'El client_id falta o es desconocido, o el cliente está inactivo.',
  document_unknown:
    'No hay ningún cliente registrado para el documento de {host}. Un administrador lo registra: {command}',
  document_unread: 'El documento del cliente en {host} no se puede usar: {reason}.',
  client_of_logout: 'El client_id es desconocido, o el cliente está inactivo.',
  address_not_registered: 'La {name} no coincide exactamente con ninguna registrada para este cliente.',
  hint_of_others: 'El id_token_hint no es un token de identidad de este servicio.',
  hint_of_client: 'El id_token_hint se emitió para otro cliente.',
  repeated: 'El parámetro {name} está repetido; envíelo una sola vez.',
  too_long: 'El parámetro {name} tiene más de {count} caracteres.',
  nul: 'El parámetro {name} contiene un carácter NUL.',
  utf8: 'El parámetro {name} no es UTF-8 válido.',
  utf8_body: 'El contenido no es UTF-8 válido.',
  too_many: 'La solicitud tiene más de {count} parámetros.',
  objects: 'El parámetro {name} no se admite; envíe los propios parámetros.',
  purpose_of_page: 'Esta página no sirve para eso.',
  purpose_of_sign_in: 'Este inicio de sesión no sirve para eso.',
  language: 'Hacen falta un idioma que exista y una ruta de este servicio a la que volver.',
  nothing_here: 'No hay nada en esta dirección. Las direcciones están en /api/doc.',
  method: 'Esta dirección no admite {method}; admite {allowed}.',
  form_type: 'El contenido debe enviarse como application/x-www-form-urlencoded.',
  too_large: 'El contenido es mayor de lo que admite esta dirección.',
  compressed: 'El contenido está comprimido por Content-Encoding, que aquí no se lee. Envíelo tal cual.',
  cookies_too_large: 'Las cookies de {host} son mayores de lo que lee este servicio.',
  headers_too_large: 'Las cabeceras son demasiado grandes.',
  malformed: 'La solicitud está mal formada.',
  permission_needed: 'Para esta dirección se necesita el permiso {name}.',
  no_route: 'La aplicación no tiene ninguna ruta para esta dirección.',
  misasked: 'Lo que pregunta el proxy no se puede responder; el registro dice por qué.',
  sign_in_needed:
    'Nadie ha iniciado sesión, o la sesión ha terminado. Abra la página de nuevo para iniciar sesión.',
  not_let_in: 'El inicio de sesión se canceló, o nadie puede entrar con él.',
  host: 'Falta la cabecera Host.',
  address_missing: 'La {name} falta.',
  expect: 'Aquí no se conoce lo que pide la cabecera Expect.',
  authorization: 'La cabecera Authorization se envió más de una vez.',
  cut_off: 'La conexión se cerró antes de leer su solicitud.',
  often: 'Demasiadas solicitudes. Inténtelo de nuevo dentro de {seconds} s.',
  busy: 'Demasiadas personas inician sesión al mismo tiempo. Inténtelo de nuevo dentro de unos segundos.',
  database: 'El servicio no alcanza su base de datos. Inténtelo de nuevo dentro de unos segundos.',
  full: 'El disco de la base de datos está lleno o falla: no se ha cambiado nada. Avise a quienes administran el servicio.',
  server: 'Algo ha fallado por nuestra parte. Indique al operador el número de solicitud.',
}
