import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { details, errors, situations } from './es-errors.ts'
import { factors } from './es-factors.ts'
import { people } from './es-people.ts'
import { notices } from './es-notices.ts'
import { phrase } from './phrase.ts'
import { recovery } from './es-recovery.ts'
import { trial } from './es-trial.ts'
import { connect } from './es-connect.ts'
import { upstream } from './es-upstream.ts'

export const es: Messages = {
  common: {
    errorPrefix: 'Error:',
    request: 'Solicitud',
    cancel: 'Cancelar',
    continue: 'Continuar',
    useAnotherAccount: 'Usar otra cuenta',
    signedInAs: (account: Child) => phrase`Sesión iniciada como ${account}`,
    newTab: '(se abre en una pestaña nueva)',
    language: 'Idioma',
    help: 'Ayuda',
    privacy: 'Privacidad',
    terms: 'Condiciones',
    showPassword: 'Mostrar',
    hidePassword: 'Ocultar',
    copy: 'Copiar',
    copied: 'Copiado',
  },
  front: {
    signIn: 'Inicie sesión para ver sus aplicaciones y su cuenta',
    title: 'Inicio de sesión y acceso',
    heading: 'Inicio de sesión y acceso',
    text: 'Las aplicaciones le envían aquí para iniciar sesión. Para ello, abra la aplicación que quiere usar: en esta dirección no hay nada en lo que iniciar sesión.',
    developers: 'Para el desarrollo',
    issuer: 'Emisor (issuer)',
    description: 'Descripción de la interfaz, para leer y probar',
    discovery: 'Documento de descubrimiento',
  },
  password: {
    title: (client: string) => `Iniciar sesión en ${client}`,
    heading: 'Iniciar sesión',
    lead: (client: Child) => phrase`para continuar a ${client}`,
    againHeading: 'Inicie sesión de nuevo',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, confirme que es usted antes de continuar a ${client}.`,
    email: 'Dirección de correo electrónico',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    missingEmail: 'Introduzca su dirección de correo electrónico.',
    missingPassword: 'Introduzca su contraseña.',
    wrongCredentials:
      'La dirección de correo y la contraseña no coinciden. Compruebe ambas e inténtelo de nuevo.',
    tooManyAttempts: (seconds: number) =>
      `Ha habido demasiados intentos de iniciar sesión. Inténtelo de nuevo dentro de ${duration('es', seconds)}.`,
    busy: (seconds: number) =>
      `Muchas personas están iniciando sesión ahora mismo. Inténtelo de nuevo dentro de ${duration('es', seconds)}.`,
    passkey: 'Iniciar sesión con una llave de acceso',
    passkeyFailed:
      'No se ha usado ninguna llave de acceso. Inténtelo de nuevo o inicie sesión con su contraseña.',
    passkeyRefused:
      'Esa llave de acceso no se ha aceptado. Inicie sesión con su contraseña o con otra llave de acceso.',
    passkeyNeeds: 'Para iniciar sesión con una llave de acceso, active JavaScript en su navegador.',
  },
  firstAdministrator: {
    title: 'Configurar la administración',
    heading: 'Configurar la administración',
    lead: 'La persona que indique aquí administra toda la instalación. Esta página se puede usar una sola vez.',
    name: 'Su nombre',
    email: 'Su dirección de correo electrónico',
    password: 'Una contraseña',
    passwordHint: (least: number, most: number) =>
      `De ${least} a ${most} caracteres. Lo mejor son varias palabras.`,
    again: 'La contraseña otra vez',
    submit: 'Configurar',
    wrongName: {
      missing: 'Introduzca su nombre.',
      wrong: 'Introduzca un nombre de 200 caracteres como máximo, sin caracteres invisibles.',
    },
    wrongEmail: {
      missing: 'Introduzca su dirección de correo electrónico.',
      wrong: 'Introduzca una dirección de correo, por ejemplo lena.hoff@example.com.',
      taken: 'Esta dirección de correo ya es de alguien. Introduzca otra.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Introduzca una contraseña.',
      too_short: `La contraseña necesita al menos ${least} caracteres.`,
      too_long: `La contraseña puede tener ${most} caracteres como máximo.`,
      untypable: 'La contraseña contiene un carácter que no se puede teclear.',
      too_common:
        'Es una de las contraseñas que se prueban primero. Use varias palabras o la que cree un gestor de contraseñas.',
      differs: 'Las dos contraseñas no son iguales. Introduzca ambas otra vez.',
    }),
  },
  firstAdministratorMade: {
    steps: 'Sus primeros pasos',
    secure: (link: Child) => phrase`Ha iniciado sesión: ${link}.`,
    secureLink: 'configure un segundo factor',
    manage: (link: Child) => phrase`Administre personas y aplicaciones en ${link}.`,
    manageLink: 'la consola',
    registerLink: 'Conecte una aplicación',
    register: (command: Child) => phrase`Registre una aplicación: ${command} conoce muchas por su nombre.`,
    peopleLink: 'Invite a alguien',
    people: (command: Child) => phrase`Añada personas: ${command}.`,
    title: 'La administración está configurada',
    heading: 'Usted administra esta instalación',
    text: (email: Child) =>
      phrase`A partir de ahora, ${email} inicia sesión con la contraseña que acaba de elegir.`,
    next: (description: Child) =>
      phrase`Esta página no se puede volver a usar. Lo que puede administrar a partir de ahora, con el comando o con la interfaz, está en la ${description}.`,
    description: 'descripción de la interfaz',
  },
  chooseProfile: {
    title: (client: string) => `Elegir un perfil para ${client}`,
    heading: 'Elegir un perfil',
    lead: (client: Child) => phrase`De él depende lo que puede ver y hacer en ${client}.`,
    legend: 'Sus perfiles',
    last: 'El último que usó',
    notAvailable: 'Ese perfil ya no está disponible. Elija otro.',
  },
  consent: {
    title: (client: string) => `¿Permitir ${client}?`,
    heading: (client: Child) => phrase`¿Permitir que ${client} use su cuenta?`,
    scopesHeading: (client: Child) => phrase`Lo que recibirá ${client}`,
    scopes: {
      openid: {
        label: 'Quién es usted aquí',
        text: 'Un identificador de su cuenta y el perfil que usa: función, organización y unidad.',
      },
      email: { label: 'Su dirección de correo', text: 'La dirección y si se ha confirmado.' },
      profile: {
        label: 'Sus datos personales',
        text: 'Nombre, nombre de usuario, imagen, idioma y zona horaria, si se conocen.',
      },
      'service.api': {
        label: 'Acceso a servicios en su nombre',
        text: 'Lo que figura abajo, en la medida en que lo permita el perfil que usa.',
      },
      groups: {
        label: 'Sus grupos',
        text: 'Nombres con los que la aplicación le clasifica: según su función, su organización o lo que puede hacer.',
      },
      offline_access: {
        label: 'Acceso mientras usted no está',
        text: 'Puede renovar lo que ha recibido hasta que usted cierre la sesión.',
      },
    },
    more: (client: Child) => phrase`Ya ha permitido algo a ${client} antes. Lo nuevo está marcado.`,
    isNew: 'Nuevo',
    administration: 'Administración de este servicio',
    nothingThere: 'Puede llamar a este servicio y no tiene ningún permiso en él.',
    moreThere: (count: number) => `${count} más`,
    onwardHeading: 'Lo que estos servicios pueden hacer por usted en otros',
    otherPlaces: 'También puede enviar su navegador a',
    actions: { read: 'ver', create: 'añadir', update: 'cambiar', delete: 'quitar' },
    resources: {
      users: 'Personas',
      organisations: 'Organizaciones',
      units: 'Unidades',
      profiles: 'Perfiles',
      roles: 'Funciones',
      permissions: 'Permisos',
      services: 'Servicios',
      clients: 'Aplicaciones y máquinas',
      sessions: 'Sesiones',
      consents: 'Consentimientos',
      keys: 'Claves de firma',
      audit: 'Auditoría',
      access: 'Acceso',
      invitations: 'Invitaciones',
      mails: 'Correos',
      webhooks: 'Webhooks',
    },
    claims: {
      email: 'Su dirección de correo',
      name: 'Su nombre completo',
      given_name: 'Su nombre de pila',
      family_name: 'Sus apellidos',
      preferred_username: 'Su nombre de usuario',
      picture: 'La dirección de su imagen',
      locale: 'Su idioma',
      zoneinfo: 'Su zona horaria',
      former_sub: 'Su identificador en el servicio anterior',
      groups: 'Sus grupos',
    },
    permissionsAt: (service: Child) => phrase`Lo que permite en ${service} el perfil que usa`,
    unknownScope: 'Un permiso adicional con este nombre.',
    documentAt: (host: Child) =>
      phrase`El editor de esta aplicación es quien tiene ${host}. Permítalo solo si acaba de iniciarla usted.`,
    toProgram: 'Lo que permita va a un programa de este ordenador.',
    returnTo: (host: Child) => phrase`Después, su navegador vuelve a ${host}.`,
    publisher: (name: Child) => phrase`Publicada por ${name}`,
    about: (link: Child) => phrase`Acerca de esta aplicación: ${link}`,
    withdraw: (page: Child) => phrase`Puede retirar este permiso en cualquier momento: ${page}.`,
    allow: 'Permitir',
    deny: 'No permitir',
  },
  device: {
    title: 'Conectar un dispositivo',
    heading: 'Conectar un dispositivo',
    lead: 'Introduzca el código que muestra su dispositivo o programa.',
    code: 'Código',
    hint: 'Ocho letras, por ejemplo BCDF-GHJK.',
    missing: 'Introduzca el código.',
    unknown: 'Ese código no existe o ha caducado. Compárelo con su dispositivo o empiece allí de nuevo.',
    tooMany: (seconds: number) =>
      `Ha habido demasiados códigos incorrectos. Inténtelo de nuevo dentro de ${duration('es', seconds)}.`,
    note: 'Se le preguntará antes de que el dispositivo reciba nada.',
  },
  confirmDevice: {
    title: (client: string) => `¿Permitir ${client} en un dispositivo?`,
    heading: (client: Child) => phrase`¿Permitir que ${client} use su cuenta en un dispositivo?`,
    compare: 'Su dispositivo debe mostrar exactamente este código:',
    warning: 'Continúe solo si lo ha empezado usted, en su propio dispositivo.',
    why: (client: Child) =>
      phrase`Si alguien le ha enviado el código o un enlace a esta página, quiere usar ${client} en su nombre.`,
  },
  deviceDone: {
    allowed: {
      title: 'Su dispositivo está conectado',
      heading: 'Su dispositivo está conectado',
      text: 'Continúe en su dispositivo. Ya puede cerrar esta página.',
    },
    denied: {
      title: 'No se ha permitido nada',
      heading: 'No se ha permitido nada',
      text: 'El dispositivo no obtiene acceso a su cuenta. Ya puede cerrar esta página.',
    },
    allowedBefore: {
      title: 'Este dispositivo ya se había autorizado',
      heading: 'Este dispositivo ya se había autorizado',
      text: 'Ya tiene su acceso: lo ha permitido usted u otra persona. Su rechazo no ha cambiado nada. Si lo ha permitido por error, retire el acceso en su cuenta.',
    },
  },
  signedOut: {
    title: 'Sesión cerrada',
    heading: 'Ha cerrado la sesión',
    text: 'Su sesión ha terminado. Ya puede cerrar esta página.',
    shared: 'Si otras personas usan este ordenador, cierre también todas las ventanas del navegador.',
    again: 'Iniciar sesión otra vez',
  },
  confirmLogout: {
    title: '¿Cerrar sesión?',
    heading: '¿Quiere cerrar la sesión?',
    text: 'Esto termina su sesión en este navegador y, con ella, su acceso a todas las aplicaciones que ha abierto desde aquí.',
    textClient: (client: Child) =>
      phrase`Esto termina su sesión en este navegador y, con ella, su acceso a ${client} y a todas las demás aplicaciones que ha abierto desde aquí.`,
    textHere: (client: Child) =>
      phrase`Esto termina su acceso a ${client} en este navegador. En todas las demás aplicaciones sigue con la sesión iniciada.`,
    submit: 'Cerrar sesión',
    stay: 'Seguir con la sesión',
  },
  noProfile: {
    title: 'Todavía sin acceso',
    heading: 'Todavía no tiene acceso',
    text: (account: Child, client: Child) =>
      phrase`Ha iniciado sesión como ${account}, pero nadie ha dado un perfil a esta cuenta. Sin perfil no puede usar ${client}.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`Ha iniciado sesión como ${account}, y ninguno de sus perfiles es de la organización a la que pertenece ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`Ha iniciado sesión como ${account}, y ninguno de sus perfiles abre ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`Ha iniciado sesión como ${account}, cuyos perfiles están en espera: nadie ha demostrado todavía que esta cuenta es suya. Pida que se le envíe un enlace y fije una nueva contraseña. Después podrá usar ${client}.`,
    sendLink: 'Enviarme el enlace',
    whoGives: 'Puede darle acceso quien tenga uno de estos roles:',
    ask: 'Pida a la persona que gestiona los accesos en su organización que dé un perfil a esta cuenta. El número de solicitud al pie de esta página le ayuda a encontrar el caso.',
    continue: (client: Child) => phrase`Volver a ${client}`,
  },
  formPost: {
    title: (place: string) => `Volver a ${place}`,
    heading: 'Volver a la aplicación',
    text: (place: Child) =>
      phrase`Su navegador vuelve a ${place}. Si eso no ocurre por sí solo, pulse el botón.`,
  },
  ...factors,
  ...notices,
  ...recovery,
  ...people,
  ...upstream,
  ...trial,
  ...connect,
  errorPage: {
    technical: 'Detalles técnicos',
    code: 'Código de error',
    description: 'Descripción',
    returnAddress: 'Dirección de retorno',
    unknown: {
      heading: 'Algo ha fallado',
      text: 'No se ha podido completar la solicitud.',
      next: 'Vuelva a la aplicación y empiece de nuevo. Si eso no ayuda, indique al soporte el número de solicitud de abajo.',
    },
    codes: errors,
    situations,
    details,
  },
}
