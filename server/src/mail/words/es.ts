import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const es: MailWords = {
  language: 'es',
  greeting: (name) => `Hola, ${name}:`,
  address: 'Si el botón no hace nada, abra esta dirección:',
  footer: (issuer) => `Este mensaje lo ha enviado ${issuer}.`,
  once: (until) => `El enlace funciona una sola vez, durante ${until}.`,
  ignore: 'Si no ha sido usted, no tiene que hacer nada: sin el enlace no cambia nada.',
  facts: { when: 'Cuándo', browser: 'Navegador', address: 'Dirección de red', application: 'Aplicación' },
  notMe: 'No he sido yo',
  undo: (until) =>
    `Si ha sido usted, no tiene que hacer nada. Si no, pulse el botón en un plazo de ${until}: eso lo deshace, cierra todas sus sesiones e invalida su contraseña, para que elija una nueva.`,
  undoEach: (until) =>
    `Si ha sido usted, no tiene que hacer nada. Si no, pulse el botón en un plazo de ${until}: eso deshace cada una de estas cosas, cierra todas sus sesiones e invalida su contraseña, para que elija una nueva. Revise después sus segundos factores.`,

  test: {
    subject: (service) => `${service}: una prueba`,
    heading: 'Los mensajes llegan',
    before: 'Alguien que gestiona este servicio quería ver si los mensajes llegan. Así es.',
  },
  password_reset: {
    subject: 'Elegir una contraseña nueva',
    before: 'Alguien ha pedido una contraseña nueva para su cuenta.',
    button: 'Elegir una contraseña nueva',
  },
  recovery: {
    subject: 'Una forma de volver a su cuenta',
    before: 'La administración le permite elegir una contraseña nueva.',
    button: 'Elegir una contraseña nueva',
  },
  invitation: {
    subject: (to) => `Tiene una invitación: ${to}`,
    before: (inviter) => `${inviter} le invita.`,
    button: 'Aceptar la invitación',
    unexpected: 'Si no esperaba ninguna invitación, no tiene que hacer nada.',
  },
  enrolment_code: {
    subject: 'Su código',
    before: 'Introduzca este código en el navegador en el que está configurando un segundo factor.',
    counts: (until) => `Vale durante ${until}, solo en ese navegador.`,
    alarm:
      'Si en este momento no está iniciando sesión, alguien conoce su contraseña: cámbiela. No dé el código a nadie.',
  },
  guest_code: {
    before: (name) =>
      `Introduzca este código en el navegador en el que está iniciando sesión a través de ${name}.`,
    alarm:
      'Si en este momento no está iniciando sesión, alguien ha indicado su dirección: no tiene que hacer nada. No dé el código a nadie.',
  },
  address_confirmation: {
    subject: 'Confirmar su dirección',
    before: 'Alguien quiere que esta sea la dirección de su cuenta.',
    button: 'Confirmar la dirección',
  },
  address_taken: {
    subject: 'Alguien quería usar su dirección',
    before: [
      'Alguien quería que esta fuera la dirección de su cuenta. Es la de la cuenta que usted tiene, así que nada ha cambiado.',
      'Si ha sido usted, inicie sesión en la cuenta que ya tiene.',
    ],
  },
  notices: {
    subject: 'Ha ocurrido algo más en su cuenta',
    before: 'En un día ha ocurrido mucho; por eso va en un solo mensaje.',
  },
  headings: {
    new_device: 'Un nuevo inicio de sesión en su cuenta',
    password_changed: 'Su contraseña se ha cambiado',
    factor_created: 'Se ha configurado un segundo factor',
    factor_removed: 'Se ha eliminado un segundo factor',
    factor_suspended: 'Se ha suspendido un segundo factor',
    recovery_codes_created: 'Tiene nuevos códigos de recuperación',
    recovery_code_used: 'Se ha usado un código de recuperación',
    second_factor_failed: 'Quizá alguien conozca su contraseña',
    address_requested: 'Su dirección va a cambiar',
    address_changed: 'Su dirección se ha cambiado',
    deletion_requested: 'Su cuenta se eliminará',
    deletion_undone: 'Su cuenta se conserva',
    link_created: 'Otra manera de entrar en su cuenta',
    link_removed: 'Se ha quitado una manera de entrar en su cuenta',
    break_glass_used: 'Se ha usado un acceso de emergencia',
    break_glass_changed: 'Se ha cambiado el acceso de emergencia',
    domain_gained: 'Su organización tiene un dominio más',
    domain_lost: 'Su organización ya no tiene un dominio',
    sync_stopped: 'Las personas de un proveedor ya no se comprueban',
    setup_opened: 'Alguien abrió su enlace de configuración',
    setup_handed_in: 'Se entregó una configuración',
  },
  events: {
    new_device: () =>
      'Alguien ha iniciado sesión en su cuenta en un navegador que no se había usado antes para ella.',
    password_changed: ({ byAdministrator }) =>
      byAdministrator
        ? 'La administración ha puesto otra contraseña a su cuenta.'
        : 'Su contraseña se ha cambiado.',
    factor_created: ({ name }) => `Se ha configurado un segundo factor para su cuenta: «${name}».`,
    factor_removed: ({ name, byAdministrator }) =>
      byAdministrator
        ? `La administración ha eliminado un segundo factor de su cuenta: «${name}».`
        : `Se ha eliminado un segundo factor de su cuenta: «${name}».`,
    factor_suspended: ({ name }) =>
      `Se ha suspendido un segundo factor de su cuenta: «${name}». Hubo demasiados códigos incorrectos, o quizá exista una copia.`,
    recovery_codes_created: () =>
      'Se han creado nuevos códigos de recuperación para su cuenta. Los anteriores ya no valen.',
    recovery_code_used: () => 'Se ha usado un código de recuperación de su cuenta.',
    second_factor_failed: () =>
      'Alguien ha introducido su contraseña y después varios códigos incorrectos. Esa persona conoce su contraseña: cámbiela.',
    address_requested: ({ name }) =>
      `Alguien ha pedido que su cuenta tenga la dirección ${name}. Todavía no ha cambiado.`,
    address_changed: ({ name }) => `La dirección de su cuenta es ahora ${name}.`,
    deletion_requested: () =>
      'Ha pedido que se elimine su cuenta. Está desactivada y se elimina a los 14 días.',
    deletion_undone: () => 'Su cuenta no se elimina: eso se ha deshecho. Vale como antes.',
    link_created: ({ name }) =>
      `Su cuenta está conectada ahora con ${name}: quien inicie sesión allí puede entrar en ella.`,
    link_removed: ({ name }) => `Su cuenta ya no está conectada con ${name}: nadie entra en ella por ahí.`,
    break_glass_used: ({ name }) =>
      `${name} ha iniciado sesión sin el proveedor de la organización, con el acceso de emergencia previsto para cuando este no funciona. Recibe este mensaje porque administra la organización o la instalación. Si no esperaba ese acceso, pregunte y desactive la cuenta.`,
    break_glass_changed: ({ name }) =>
      `Se ha cambiado quién puede entrar cuando el proveedor de la organización no funciona. Ahora son: ${name}.`,
    domain_gained: ({ name }) =>
      `El dominio ${name} ha pasado de otra organización a la suya: su registro DNS nombra ahora la suya. Quien inicie sesión con una dirección de él llega a su proveedor.`,
    domain_lost: ({ name }) =>
      `El dominio ${name} pertenece desde ahora a otra organización: su registro DNS nombra a esa, y el suyo ya no está. Quienes estaban conectados lo siguen estando, y no se añade nadie. Si no es lo previsto, pregunte a quien gestiona el DNS del dominio.`,
    sync_stopped: ({ name }) =>
      `Se ha detenido la comprobación horaria de quién ha dejado ${name}: ha fallado, o faltan muchas más personas de lo habitual. No se ha dado de baja a nadie por ello, ni se dará a quien se vaya hasta que funcione. El proveedor dice qué ocurre: tessera attention, o la consola.`,
    setup_opened: ({ name }) =>
      `Alguien empezó con el enlace de configuración que usted creó para ${name}. Desde ahora solo cuenta en su navegador. Si no debía ser esa persona, retírelo.`,
    setup_handed_in: ({ name }) =>
      `Se entregó lo introducido con el enlace de configuración que usted creó para ${name}. Nada de ello cuenta hasta que alguien autorizado lo mire y lo confirme: en la consola o con tessera upstream confirm.`,
  },
}
