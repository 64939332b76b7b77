import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: 'Mot de passe oublié ?',
    title: 'Mot de passe oublié',
    heading: 'Choisir un nouveau mot de passe',
    text: 'Saisissez l’adresse e-mail avec laquelle vous vous connectez. Vous recevrez un e-mail avec un lien pour choisir un nouveau mot de passe.',
    submit: 'Envoyer le lien',
    sentHeading: 'Consultez vos e-mails',
    sent: (email) => phrase`S’il existe un compte avec ${email}, un e-mail avec un lien est en route.`,
    good: 'Le lien est valable une fois, pendant une demi-heure.',
    goesOn:
      'Le lien est valable une fois, pendant une demi-heure. Ouvrez-le dans ce navigateur, et la connexion reprend là où elle en était.',
    nothing: (again) => phrase`Rien reçu ? Regardez parmi les indésirables, comparez l’adresse, ou ${again}.`,
    again: 'faites-le envoyer encore une fois',
    back: 'Retour à la connexion',
  },
  reset: {
    title: 'Choisir un nouveau mot de passe',
    heading: 'Choisir un nouveau mot de passe',
    lead: (account) => phrase`pour le compte de ${account}`,
    ends: 'Vous serez alors connecté ici, et déconnecté partout ailleurs.',
    factorLead: (account) =>
      phrase`Avant de choisir un nouveau mot de passe pour ${account}, montrez par votre second facteur que c’est bien vous.`,
    lost: 'Sans votre second facteur ni ses codes de secours, adressez-vous aux personnes qui gèrent ce service.',
    password: 'Nouveau mot de passe',
    again: 'Le nouveau mot de passe encore une fois',
    submit: 'Enregistrer le mot de passe',
    waysTitle: 'Choisissez comment vous vous connectez',
    passkeyText:
      'Une clé d’accès (passkey) est conservée par cet appareil ou votre gestionnaire de mots de passe. Vous vous connectez avec le doigt, le visage ou un code PIN, sans rien retenir.',
    orPassword: 'Ou définir un mot de passe',
  },
  resetEnded: {
    title: 'Ce lien n’est plus valable',
    heading: 'Ce lien n’est plus valable',
    text: 'Un lien pour choisir un mot de passe est valable une fois et peu de temps, et seul le plus récent compte.',
    ask: 'Demandez-en un autre aux personnes qui gèrent ce service.',
    again: 'Faire envoyer un nouveau lien',
  },
  newPassword: {
    title: 'Choisir votre mot de passe',
    heading: 'Choisissez votre mot de passe',
    lead: (client) => phrase`avant de continuer vers ${client}`,
    text: 'Quelqu’un d’autre a défini votre mot de passe actuel. Choisissez-en un que vous seul connaissez.',
    same: 'C’est le mot de passe que vous avez déjà. Choisissez-en un autre.',
  },
}
