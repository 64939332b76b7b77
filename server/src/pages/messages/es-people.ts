import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words about invitations, and what people do for themselves. */
export const people: Translated<Pick<Messages, 'account' | 'invitation'>> = {
  account: {
    title: 'Su cuenta',
    signInText: 'Segundos factores, llaves de acceso y códigos de recuperación',
    signOut: 'Cerrar sesión aquí',
    sessions: {
      title: 'Dónde tiene la sesión iniciada',
      count: (count: number) => (count === 1 ? 'Solo aquí' : `En ${count} lugares`),
      lead: 'Cada uno es un navegador en el que inició sesión. Al terminarla, termina también lo que las aplicaciones recibieron por ella.',
      unknown: 'Un navegador',
      here: 'Es el que está usando ahora.',
      seen: (time: string) => `Usado por última vez el ${time}`,
      began: (time: string) => `Sesión iniciada el ${time}`,
      from: (address: Child) => phrase`Desde la dirección de red ${address}`,
      end: 'Cerrar sesión allí',
      endOthers: 'Cerrar sesión en todos los demás sitios',
      done: { ended: 'Se ha cerrado la sesión allí.' },
    },
  },
  invitation: {
    title: 'Invitación',
    heading: 'Tiene una invitación',
    joinHeading: 'Crear su cuenta',
    lead: 'Se le invita a participar.',
    leadOrganisation: (organisation: Child) => phrase`${organisation} le invita.`,
    leadClient: (client: Child) => phrase`Se le invita a usar ${client}.`,
    leadBoth: (organisation: Child, client: Child) => phrase`${organisation} le invita a usar ${client}.`,
    offers: 'Lo que recibe',
    email: 'Su dirección de correo',
    join: 'Crear cuenta',
    known: (account: Child) =>
      phrase`Ya existe una cuenta para ${account}. Inicie sesión en ella y elija después lo que acepta.`,
    signIn: 'Iniciar sesión',
    choose: 'Lo que acepta',
    accept: 'Aceptar',
    decline: 'Rechazar',
    otherHeading: 'Esta invitación es para otra persona',
    other: (account: Child, invited: Child) =>
      phrase`Ha iniciado sesión como ${account}. La invitación es para ${invited}.`,
    switch: 'Cerrar sesión y continuar',
    expiredHeading: 'Esta invitación ha caducado',
    expired: 'Se podía aceptar durante siete días. No se ha cambiado nada.',
    askThem: 'Pida a quien le invitó que la envíe de nuevo.',
    acceptedTitle: 'Gracias por su respuesta',
    accepted: 'Para continuar, abra la aplicación que quiere usar e inicie sesión en ella.',
    acceptedFor: (client: Child) => phrase`Ya puede usar ${client}.`,
    goOn: (client: Child) => phrase`Continuar a ${client}`,
    secure: 'Configurar una llave de acceso o un segundo factor',
  },
}
