import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { factors as english } from './en-factors.ts'
import { phrase } from './phrase.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Confirme que es usted',
    heading: 'Confirme que es usted',
    lead: (account: Child) => phrase`${account}, aquí no basta solo con su contraseña.`,
    code: 'Código de su aplicación de autenticación',
    hint: 'Seis cifras. Cada código vale una vez.',
    recoveryLead:
      'Cada código de recuperación vale una vez. Los anotó o imprimió cuando configuró su segundo factor.',
    recoveryCode: 'Código de recuperación',
    recoveryHint: 'Por ejemplo, 7-K3QF-9XWM-2TRB-HDN4, con su número.',
    submit: 'Continuar',
    trust: (days: number) => `No pedirlo en este navegador durante ${days === 1 ? 'un día' : `${days} días`}`,
    useKey: 'Usar una llave de acceso o de seguridad',
    keyFailed: 'No se ha usado ninguna llave de acceso o de seguridad. Inténtelo de nuevo.',
    keyNeeds: 'Para usar una llave de acceso o de seguridad, active JavaScript en su navegador.',
    wrongKey: 'Esa llave de acceso o de seguridad no se ha aceptado. Inténtelo de nuevo o use otra.',
    keySuspended:
      'Su llave de acceso o de seguridad no vale por ahora, porque podría existir una copia. Use un código de recuperación o pregunte a los responsables de este servicio.',
    useRecovery: 'Usar un código de recuperación',
    useApp: 'Usar su segundo factor',
    missing: 'Introduzca el código.',
    wrong: 'Este código es incorrecto o ya se ha usado. Espere al siguiente e introdúzcalo.',
    wrongRecovery: 'Ese código de recuperación no existe o ya se ha usado.',
    suspended:
      'Ha habido demasiados códigos incorrectos, así que los códigos de su aplicación de autenticación no valen por ahora. Use un código de recuperación o un navegador en el que ya haya iniciado sesión, o pregunte a los responsables de este servicio.',
    tooMany: (seconds: number) =>
      `Ha habido demasiados códigos incorrectos. Inténtelo de nuevo dentro de ${duration('es', seconds)}.`,
  },
  enrol: {
    title: 'Configurar un segundo factor',
    heading: 'Configurar un segundo factor',
    lead: (client: Child) =>
      phrase`Además de su contraseña, ${client} pide una segunda prueba de que es usted.`,
    own: 'Con él demuestra, además de con su contraseña, que es usted.',
    scan: 'Escanee esto con una aplicación de autenticación, como la de su teléfono o la de su gestor de contraseñas.',
    qr: 'Código QR con la clave para su aplicación de autenticación',
    key: 'O introduzca allí esta clave:',
    name: 'Un nombre para reconocerla',
    nameHint: 'Para distinguirla de otras: el teléfono, por ejemplo.',
    defaultName: 'Aplicación de autenticación',
    code: 'El código que muestra la aplicación',
    submit: 'Configurar',
    later: 'Más tarde',
    laterNote: (days: number) =>
      days === 1
        ? 'Puede hacerlo más tarde, hasta mañana. Después será necesario.'
        : `Puede hacerlo más tarde, en un plazo de ${days} días. Después será necesario.`,
    decline: 'No configurar',
    missing: 'Introduzca el código que muestra la aplicación.',
    wrong: 'Este no es el código de esta clave. Espere al siguiente e introdúzcalo.',
    clock:
      'El reloj de su teléfono no está en hora. Deje que se ajuste solo y después introduzca el código siguiente.',
    expired:
      'Ha tardado demasiado. Aquí tiene una clave nueva: escanéela y quite la anterior de la aplicación.',
    tooMany: 'Ya tiene tres aplicaciones de autenticación. Quite primero una.',
    wrongName: 'Introduzca un nombre de 100 caracteres como máximo.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Introduzca primero un código que se envía a ${address}: quien solo conoce su contraseña no debe configurar nada.`,
    sent: (address: Child) =>
      phrase`Un código de ocho cifras va de camino a ${address}. Vale durante diez minutos, solo en este navegador.`,
    code: 'Código del correo',
    send: 'Enviar el código',
    again: 'Enviar otro código',
    missing: 'Introduzca el código del correo.',
    wrong: 'Este código es incorrecto o ya no vale. Tras cinco incorrectos hace falta otro código.',
    tooMany: 'Se han enviado tantos códigos que por ahora no hay otro. Inténtelo más tarde.',
  },
  enrolKey: {
    title: 'Configurar una llave de acceso o de seguridad',
    passkeyText:
      'Una llave de acceso (passkey) la guarda su dispositivo o su gestor de contraseñas. Con ella inicia sesión con el dedo, la cara o un PIN, sin contraseña.',
    securityKeyText:
      'Una llave de seguridad es un pequeño dispositivo que se enchufa o se acerca al teléfono. Se usa después de la contraseña.',
    passkey: 'Configurar una llave de acceso',
    securityKey: 'Configurar una llave de seguridad',
    failed: 'No se ha configurado nada. Inténtelo de nuevo.',
    taken: 'Este dispositivo o esta llave ya está configurado. Use otro.',
    wrong: 'Esa llave de acceso o de seguridad no se ha aceptado. Inténtelo de nuevo.',
    needs: 'Para configurar una llave de acceso o de seguridad, active JavaScript en su navegador.',
  },
  recoveryCodes: {
    title: 'Sus códigos de recuperación',
    heading: 'Guarde estos códigos de recuperación',
    text: 'Si pierde su segundo factor, cada uno de ellos le permite entrar una vez, después de su contraseña. Se muestran ahora y nunca más. Imprímalos o guárdelos en su gestor de contraseñas.',
    list: 'Códigos de recuperación',
    saved: 'Los he guardado',
  },
  accountSignIn: {
    title: 'Cómo inicia sesión',
    heading: 'Cómo inicia sesión',
    none: 'Solo hay su contraseña: quien la conozca puede iniciar sesión en su lugar.',
    factors: 'Segundos factores',
    app: 'Aplicación de autenticación',
    passkey: 'Llave de acceso',
    securityKey: 'Llave de seguridad',
    made: (date: string) => `Configurado el ${date}`,
    used: (date: string) => `Usado por última vez el ${date}`,
    suspended: 'Suspendido tras demasiados códigos incorrectos',
    add: 'Añadir una aplicación de autenticación',
    addKey: 'Añadir una llave de acceso o de seguridad',
    tooManyKeys: 'Ya tiene diez llaves de acceso y de seguridad. Quite una para añadir otra.',
    noKeysByIp:
      'Aquí no hay llaves de acceso ni de seguridad: este servicio tiene una dirección IP y ningún nombre.',
    synced: 'Sincronizada entre sus dispositivos',
    onDevice: 'Permanece en un solo dispositivo',
    earlier: (domain: Child) => phrase`De una dirección anterior (${domain}): aquí no vale.`,
    suspendedKey: 'Suspendida, porque podría existir una copia. Quítela y configure una nueva.',
    elsewhere: 'Cerrar sesión en todos los demás sitios',
    rename: 'Cambiar el nombre',
    name: 'Nombre',
    remove: 'Quitar',
    removeNamed: (name: Child) => phrase`Quitar ${name}`,
    renameNamed: (name: Child) => phrase`Cambiar el nombre de ${name}`,
    recovery: 'Códigos de recuperación',
    recoveryLeft: (count: number) =>
      count === 0 ? 'No queda ninguno.' : count === 1 ? 'Queda uno.' : `Quedan ${count}.`,
    newCodes: 'Crear nuevos códigos de recuperación',
    newCodesNote: 'Los anteriores dejarán de valer.',
    getsIn:
      'Usted es la única persona que entra cuando el acceso de su organización no funciona. Pida a su administración que nombre antes a otra.',
    lastOne: 'Es el último segundo factor, y aquí necesita uno. Configure otro antes de quitarlo.',
    unknown: 'Este segundo factor ya no existe.',
    done: {
      password: 'La contraseña se ha cambiado. Se ha cerrado su sesión en todos los demás sitios.',
      removed: 'Se ha quitado el segundo factor.',
      renamed: 'El segundo factor tiene su nuevo nombre.',
      added: 'El segundo factor está configurado.',
    },
    proveHeading: 'Confirme que es usted',
    proveText:
      'Esto cambia cómo inicia sesión. Demuestre una vez más que es usted: no debe hacer más de diez minutos.',
    proveByKey:
      'Esto cambia cómo inicia sesión. Use su llave de acceso, o introduzca su contraseña y use su llave de seguridad. No debe hacer más de diez minutos.',
    back: 'Volver a cómo inicia sesión',
    password: 'Contraseña',
    wrongPassword: 'Esta contraseña es incorrecta.',
    signInFirst: 'Inicie sesión primero',
    signInText:
      'No ha iniciado sesión aquí. Abra la aplicación que usa, inicie sesión allí y vuelva a esta página.',
    signInAgain: 'Iniciar sesión',
  },
}
