import type { Translated } from './translated.ts'
import type { errors as english } from './en-errors.ts'

const objectNotSupported = {
  heading: 'Ce type de demande n’est pas pris en charge',
  text: 'L’application a emballé sa demande d’une façon que ce service ne lit pas.',
  next: 'Prévenez les responsables de l’application. Elle doit envoyer les paramètres eux-mêmes, sans request ni request_uri.',
}

export const errors: Translated<typeof english> = {
  invalid_client: {
    heading: 'Cette application n’est pas connue ici',
    text: 'L’application qui vous a envoyé ici n’est pas enregistrée, ou elle a été désactivée.',
    next: 'Prévenez les responsables de l’application. Ils doivent vérifier le client_id et si le client est actif.',
  },
  invalid_redirect_uri: {
    heading: 'L’adresse de retour n’est pas enregistrée',
    text: 'L’application a demandé à vous envoyer à une adresse qui n’est pas enregistrée pour elle. Pour votre sécurité, vous n’irez pas plus loin.',
    next: 'Prévenez les responsables de l’application. L’adresse doit correspondre exactement, caractère par caractère, à une adresse enregistrée.',
  },
  invalid_request: {
    heading: 'La demande n’est pas valide',
    text: 'Il manque quelque chose dans cette demande, ou quelque chose y est mal formé.',
    next: 'Retournez à l’application et recommencez. Si cela se reproduit, prévenez les responsables de l’application.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'Cette connexion est terminée',
    text: 'Elle a duré trop longtemps, a déjà abouti ou a été commencée dans un autre navigateur.',
    next: 'Retournez à l’application et recommencez.',
  },
  setup_link_ended: {
    heading: 'Ce lien ne peut pas être utilisé',
    text: 'Il a déjà servi, il date de plus d’une heure ou il est incomplet, ou quelqu’un administre déjà cette installation.',
    next: 'Vérifiez que vous avez ouvert le lien entier. Sinon, demandez-en un autre aux responsables de ce service.',
  },
  invitation_ended: {
    heading: 'Cette invitation ne peut pas être utilisée',
    text: 'Elle a déjà servi, a été retirée ou remplacée par une plus récente, ou le lien est incomplet.',
    next: 'Vérifiez que vous avez ouvert le lien entier du message le plus récent. Sinon, demandez-en un autre à la personne qui vous a invité.',
  },
  managed_by_file: {
    heading: 'Cela se décide ailleurs',
    text: 'Un fichier des responsables de ce service détermine ce que vous pouvez faire ici. Rien n’a été modifié.',
    next: 'Adressez-vous à la personne qui vous a invité, ou aux responsables de ce service.',
  },
  form_expired: {
    heading: 'Ce formulaire a expiré',
    text: 'La page est restée ouverte trop longtemps, ou le navigateur n’a pas envoyé ses cookies. Rien n’a été modifié.',
    next: 'Revenez en arrière, rechargez la page et réessayez. Les cookies doivent être autorisés pour ce site.',
  },
  not_found: {
    heading: 'Page introuvable',
    text: 'Il n’y a rien à cette adresse.',
    next: 'Vérifiez l’adresse, ou retournez à l’application d’où vous venez.',
  },
  method_not_allowed: {
    heading: 'Cette adresse ne s’utilise pas ainsi',
    text: 'L’adresse existe, mais elle ne répond pas à ce type de demande.',
    next: 'Retournez à l’application d’où vous venez et recommencez.',
  },
  too_many_requests: {
    heading: 'Trop de demandes',
    text: 'Il y a eu plus de demandes en peu de temps qu’il n’est permis.',
    next: 'Attendez un instant, puis réessayez.',
  },
  temporarily_unavailable: {
    heading: 'Indisponible pour le moment',
    text: 'Le service est surchargé ou en maintenance.',
    next: 'Veuillez réessayer dans quelques minutes.',
  },
  server_error: {
    heading: 'Une erreur s’est produite de notre côté',
    text: 'La demande n’a pas pu aboutir. Ce n’était pas votre faute.',
    next: 'Veuillez réessayer. Si cela se reproduit, donnez au support le numéro de demande ci-dessous.',
  },
}
