import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
  upstream: {
    continue: 'Continuar con su organización',
    continueWith: (name) => `Continuar con ${name}`,
    noOrganisation:
      'Ninguna organización da acceso aquí a las personas de ese dominio. Compruebe la dirección o inicie sesión con su contraseña.',
    usual: 'Quien tiene una dirección de este dominio inicia sesión a través de su organización.',
    noTime:
      'El proveedor de su organización no dice cuándo inició usted la sesión, y esta aplicación lo pide. Inicie sesión aquí.',
    beyond: 'Para esta aplicación, demuestre que es usted con una contraseña o una llave de acceso propia.',
    chooseTitle: '¿Cómo quiere iniciar sesión?',
    chooseText: 'Su organización ofrece varias maneras de iniciar sesión.',
    requiredTitle: (name) => `Iniciar sesión con ${name}`,
    requiredText: (organisation) =>
      phrase`${organisation} pide a sus miembros que inicien sesión con el proveedor de la organización.`,
    failedTitle: (name) => `No se ha podido iniciar sesión con ${name}`,
    back: 'Volver al inicio de sesión',
    failed: {
      unreachable:
        'El proveedor no responde. Inténtelo de nuevo dentro de unos minutos o avise a quienes lo gestionan.',
      setup:
        'Su respuesta no se puede utilizar: algo no está bien configurado entre el proveedor y este servicio. Avise a su administración; el número de abajo le ayuda a encontrar la causa.',
      denied: 'Allí se canceló o se rechazó el inicio de sesión.',
      over: 'El inicio de sesión duró demasiado, ya se había usado o comenzó en otro navegador. Empiece de nuevo.',
      too_old:
        'Se pidió un nuevo inicio de sesión y el proveedor respondió con uno anterior. Cierre allí la sesión e inténtelo de nuevo.',
      inactive: 'El proveedor está desactivado aquí en este momento. Consulte a su administración.',
      unknown_person:
        'Allí le conocen, pero aquí todavía no tiene cuenta. Pida una invitación a su administración.',
      no_address: 'El proveedor no comunica su dirección de correo. Pida a su administración que lo permita.',
      outside_domains:
        'Su dirección es de un dominio por el que el proveedor no puede responder. Consulte a su administración.',
      conflict:
        'La cuenta que tiene su dirección está vinculada allí a otra identidad. Pida a su administración que revise el vínculo.',
      disabled: 'Su cuenta está desactivada. Consulte a su administración.',
      needed:
        'Usted es la única persona que entra cuando no funciona. Pida a su administración que nombre antes a otra.',
      other_person:
        'Allí inició sesión como una persona distinta de la que es aquí. Cierre la sesión allí e inténtelo de nuevo.',
      untimed:
        'No dice cuándo inició sesión, así que no puede confirmarlo de nuevo. Establezca una contraseña propia: cierre la sesión aquí y, al iniciarla, elija que la ha olvidado.',
      taken:
        'Ese inicio de sesión pertenece aquí a otra cuenta, o su cuenta allí a otro inicio de sesión. No se ha conectado nada.',
    },
    ldapText: (name) => phrase`Introduzca el nombre y la contraseña que utiliza en ${name}.`,
    name: 'Nombre de usuario o dirección de correo',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    wrongCredentials: 'El nombre y la contraseña no coinciden. Compruebe ambos e inténtelo de nuevo.',
    throttled:
      'Ha habido demasiadas contraseñas incorrectas. Inténtelo de nuevo dentro de un cuarto de hora.',
    missing: 'Introduzca su nombre y su contraseña.',
    provedTitle: 'Lo ha confirmado',
    provedText: 'Su prueba vale diez minutos. Continúe ahora con lo que quería hacer.',
    linksTitle: 'Inicios de sesión de organizaciones',
    linkedSince: (date) => `Conectado el ${date}`,
    lastWay:
      'Es su única manera de entrar. Establezca una contraseña o una llave de acceso propia antes de quitarla.',
    connectWith: (name) => `Conectar con ${name}`,
    connectHere: (who) => phrase`Aquí es usted ${who}.`,
    connectKnown: (who, name) => phrase`${name} le llama ${who}.`,
    connectText: (name) =>
      phrase`A partir de ahora, quien inicie sesión allí como esa persona puede entrar en su cuenta a través de ${name}.`,
    connectBreakGlass:
      'Usted es una de las personas que entran cuando el inicio de sesión de esta organización no funciona. Si lo conecta, dejará de serlo.',
    connectRefused: {
      unproved:
        'Nadie ha confirmado todavía que esta cuenta sea suya. Cierre la sesión, elija al iniciarla que ha olvidado la contraseña y establezca otra con el correo.',
      notOffered:
        'Este inicio de sesión no se puede conectar ahora: ya está conectado, está desactivado o abre más de lo que usted ha demostrado.',
    },
    connectDone: {
      connected: 'El inicio de sesión está conectado.',
      unlinked: 'El inicio de sesión se ha quitado.',
      over: 'Ha tardado demasiado. No se ha conectado nada.',
    },
    guestTitle: 'Confirme su dirección',
    guestText: (email, name) =>
      phrase`${name} inicia su sesión, pero no responde por el dominio de ${email}. Demuestre que la dirección es suya.`,
    linkTitle: '¿Conectar los dos inicios de sesión?',
    linkText: (email, name) =>
      phrase`La cuenta con la dirección ${email} ya existe. A partir de ahora también podría iniciar sesión en ella con ${name}.`,
    linkAs: (subject, name) => phrase`En ${name}, usted es ${subject}.`,
    link: 'Conectar',
    notNow: 'Ahora no',
  },
}
