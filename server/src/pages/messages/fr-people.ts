import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words about invitations, and what people do for themselves. */
export const people: Translated<Pick<Messages, 'account' | 'invitation'>> = {
  account: {
    title: 'Votre compte',
    signInText: 'Seconds facteurs, clés d’accès et codes de secours',
    signOut: 'Se déconnecter ici',
    sessions: {
      title: 'Où vous êtes connecté',
      count: (count: number) => (count === 1 ? 'Seulement ici' : `À ${count} endroits`),
      lead: 'Chacun est un navigateur dans lequel vous vous êtes connecté. Y mettre fin met aussi fin à ce que des applications ont reçu par lui.',
      unknown: 'Un navigateur',
      here: 'C’est celui que vous utilisez en ce moment.',
      seen: (time: string) => `Utilisé pour la dernière fois le ${time}`,
      began: (time: string) => `Connecté le ${time}`,
      from: (address: Child) => phrase`Depuis l’adresse réseau ${address}`,
      end: 'Se déconnecter là-bas',
      endOthers: 'Se déconnecter partout ailleurs',
      done: { ended: 'Vous y êtes déconnecté.' },
    },
  },
  invitation: {
    title: 'Votre invitation',
    heading: 'Vous êtes invité',
    joinHeading: 'Créer votre compte',
    lead: 'Vous êtes invité à participer.',
    leadOrganisation: (organisation: Child) => phrase`${organisation} vous invite.`,
    leadClient: (client: Child) => phrase`Vous êtes invité à utiliser ${client}.`,
    leadBoth: (organisation: Child, client: Child) =>
      phrase`${organisation} vous invite à utiliser ${client}.`,
    offers: 'Ce que vous recevez',
    email: 'Votre adresse e-mail',
    join: 'Créer le compte',
    known: (account: Child) =>
      phrase`Il existe déjà un compte pour ${account}. Connectez-vous-y, puis choisissez ce que vous acceptez.`,
    signIn: 'Se connecter',
    choose: 'Ce que vous acceptez',
    accept: 'Accepter',
    decline: 'Refuser',
    otherHeading: 'Cette invitation est pour quelqu’un d’autre',
    other: (account: Child, invited: Child) =>
      phrase`Vous êtes connecté en tant que ${account}. L’invitation est pour ${invited}.`,
    switch: 'Se déconnecter et continuer',
    expiredHeading: 'Cette invitation a expiré',
    expired: 'Elle pouvait être acceptée pendant sept jours. Rien n’a été modifié.',
    askThem: 'Demandez à la personne qui vous a invité de l’envoyer à nouveau.',
    acceptedTitle: 'Merci de votre réponse',
    accepted: 'Pour continuer, ouvrez l’application que vous voulez utiliser et connectez-vous-y.',
    acceptedFor: (client: Child) => phrase`Vous pouvez maintenant utiliser ${client}.`,
    goOn: (client: Child) => phrase`Continuer vers ${client}`,
    secure: 'Configurer une clé d’accès ou un second facteur',
  },
}
