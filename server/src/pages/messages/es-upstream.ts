import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: Translated<typeof english> = {
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
    },
    ldapText: (name) => phrase`Introduzca el nombre y la contraseña que utiliza en ${name}.`,
    name: 'Nombre de usuario o dirección de correo',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    wrongCredentials: 'El nombre y la contraseña no coinciden. Compruebe ambos e inténtelo de nuevo.',
    throttled:
      'Ha habido demasiadas contraseñas incorrectas. Inténtelo de nuevo dentro de un cuarto de hora.',
    missing: 'Introduzca su nombre y su contraseña.',
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
