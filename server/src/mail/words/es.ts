import type { MailText, MailWords, NoticeEvent, Told } from '../kinds.ts'
import { shownTime, unitsOf } from './times.ts'

const language = 'es'
const minutes = (count: number) => unitsOf(language, count, 'minute')
const hours = (count: number) => unitsOf(language, count, 'hour')
const days = (count: number) => unitsOf(language, count, 'day')

const once = (until: string) => `El enlace funciona una sola vez, durante ${until}.`
const ignore = 'Si no ha sido usted, no tiene que hacer nada: sin el enlace no cambia nada.'

const events: Record<NoticeEvent, (told: Told) => string> = {
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
}

const headings: Record<NoticeEvent, string> = {
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
}

const facts = (told: Told) => [
  ['Cuándo', shownTime(language, told)] as const,
  ...(told.browser === undefined ? [] : [['Navegador', told.browser] as const]),
  ...(told.address === undefined ? [] : [['Dirección de red', told.address] as const]),
  ...(told.application === undefined ? [] : [['Aplicación', told.application] as const]),
]

const notMe = (count: number): Pick<MailText, 'button' | 'after'> => ({
  button: 'No he sido yo',
  after: [
    `Si ha sido usted, no tiene que hacer nada. Si no, pulse el botón en un plazo de ${days(count)}: eso lo deshace, cierra todas sus sesiones e invalida su contraseña, para que elija una nueva.`,
  ],
})

/** The words of mails. */
export const es: MailWords = {
  greeting: (name) => `Hola, ${name}:`,
  address: 'Si el botón no hace nada, abra esta dirección:',
  footer: (issuer) => `Este mensaje lo ha enviado ${issuer}.`,

  test: ({ at }, service) => ({
    subject: `${service}: una prueba`,
    heading: 'Los mensajes llegan',
    before: ['Alguien que gestiona este servicio quería ver si los mensajes llegan. Así es.'],
    facts: [['Cuándo', shownTime(language, { at, zone: 'UTC' })]],
  }),
  password_reset: (data) => ({
    subject: 'Elegir una contraseña nueva',
    heading: 'Elegir una contraseña nueva',
    before: ['Alguien ha pedido una contraseña nueva para su cuenta.'],
    button: 'Elegir una contraseña nueva',
    after: [once(minutes(data.minutes)), ignore],
  }),
  recovery: (data) => ({
    subject: 'Una forma de volver a su cuenta',
    heading: 'Una forma de volver a su cuenta',
    before: ['La administración le permite elegir una contraseña nueva.'],
    button: 'Elegir una contraseña nueva',
    after: [once(minutes(data.minutes))],
  }),
  invitation: ({ inviter, to, days: count }) => ({
    subject: `Tiene una invitación: ${to}`,
    heading: `Tiene una invitación: ${to}`,
    before: [`${inviter} le invita.`],
    button: 'Aceptar la invitación',
    after: [once(days(count)), 'Si no esperaba ninguna invitación, no tiene que hacer nada.'],
  }),
  enrolment_code: ({ code, minutes: count }) => ({
    subject: 'Su código',
    heading: 'Su código',
    before: ['Introduzca este código en el navegador en el que está configurando un segundo factor.'],
    code,
    after: [
      `Vale durante ${minutes(count)}, solo en ese navegador.`,
      'Si en este momento no está iniciando sesión, alguien conoce su contraseña: cámbiela. No dé el código a nadie.',
    ],
  }),
  address_confirmation: ({ hours: count }) => ({
    subject: 'Confirmar su dirección',
    heading: 'Confirmar su dirección',
    before: ['Alguien quiere que esta sea la dirección de su cuenta.'],
    button: 'Confirmar la dirección',
    after: [once(hours(count)), ignore],
  }),
  address_taken: () => ({
    subject: 'Alguien quería usar su dirección',
    heading: 'Alguien quería usar su dirección',
    before: [
      'Alguien quería que esta fuera la dirección de su cuenta. Es la de la cuenta que usted tiene, así que nada ha cambiado.',
      'Si ha sido usted, inicie sesión en la cuenta que ya tiene.',
    ],
  }),
  notice: ({ days: count, ...told }) => ({
    subject: headings[told.event],
    heading: headings[told.event],
    before: [events[told.event](told)],
    facts: facts(told),
    ...(count === undefined ? {} : notMe(count)),
  }),
  notices: ({ told, days: count }) => ({
    subject: 'Ha ocurrido algo más en su cuenta',
    heading: 'Ha ocurrido algo más en su cuenta',
    before: ['En un día ha ocurrido mucho; por eso va en un solo mensaje.'],
    facts: told.map((one) => [shownTime(language, one), events[one.event](one)] as const),
    button: 'No he sido yo',
    after: [
      `Si ha sido usted, no tiene que hacer nada. Si no, pulse el botón en un plazo de ${days(count)}: eso deshace cada una de estas cosas, cierra todas sus sesiones e invalida su contraseña, para que elija una nueva. Revise después sus segundos factores.`,
    ],
  }),
}
