import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Ce type de demande n’est pas pris en charge',
  text: 'L’application a emballé sa demande d’une façon que ce service ne lit pas.',
  next: 'Prévenez les responsables de l’application. Elle doit envoyer les paramètres eux-mêmes, sans request ni request_uri.',
}

export const errors: typeof english = {
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
  upstream_invitation_ended: {
    heading: 'Ce lien de configuration ne peut pas être utilisé',
    text: 'Il a pris fin, a été ouvert dans un autre navigateur ou est incomplet. Ou la personne qui l’a envoyé n’a plus le droit de le donner.',
    next: 'Continuez dans le navigateur où vous avez commencé. Sinon, demandez-en un autre à la personne qui l’a envoyé.',
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
  sign_in_required: {
    heading: 'Votre connexion a pris fin',
    text: 'Vous n’êtes pas connecté à cette application, ou votre connexion a pris fin. Ce que vous avez envoyé ne lui est pas parvenu.',
    next: 'Ouvrez l’application dans un autre onglet et connectez-vous-y. Revenez ensuite et envoyez-le de nouveau.',
  },
  permission_missing: {
    heading: 'Vous ne pouvez pas faire cela',
    text: 'Ce que vous pouvez faire dans cette application dépend de votre rôle.',
    next: 'Demandez aux administrateurs de votre organisation. Si vous avez aussi un autre rôle, déconnectez-vous de l’application et choisissez-le.',
  },
  forward_auth_refused: {
    heading: 'Cette adresse ne peut pas être ouverte',
    text: 'L’application ne laisse personne ouvrir cette adresse, ou celle-ci n’a pas pu être vérifiée.',
    next: 'Vérifiez l’adresse. Si elle devrait fonctionner, prévenez les responsables de l’application.',
  },
  access_denied: {
    heading: 'Vous n’avez pas été connecté',
    text: 'La connexion a été annulée, ou aucun de vos rôles n’ouvre cette application.',
    next: 'Ouvrez de nouveau l’application. Si vous devriez y avoir accès, demandez aux administrateurs de votre organisation.',
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

export const situations = {
  no_cookies: {
    heading: 'Votre navigateur n’a envoyé aucun cookie',
    text: 'Sans cookies, ce service ne peut pas reconnaître qu’une connexion est la vôtre. Votre navigateur les bloque peut-être, ou cette page a été ouverte dans un autre navigateur.',
    next: 'Autorisez les cookies pour cette adresse. Retournez ensuite à l’application et recommencez.',
  },
  too_many_cookies: {
    heading: 'Votre navigateur envoie trop de cookies',
    text: 'Il a pour cette adresse plus de cookies que ce service n’en lit. La plupart viennent d’autres services à la même adresse.',
    next: 'Supprimez les cookies de cette adresse dans les réglages du navigateur, puis rouvrez la page.',
  },
  no_redirect_uri: {
    heading: 'L’adresse de retour manque',
    text: 'L’application n’a pas dit où revenir après la connexion.',
    next: 'Prévenez les responsables de l’application. Ils devraient envoyer une adresse enregistrée comme redirect_uri.',
  },
  signed_in: {
    heading: 'Vous êtes connecté',
    text: (client: Child) =>
      phrase`Votre connexion à ${client} est terminée. Il n’y a plus rien à faire sur cette page.`,
    next: 'Avancez dans votre navigateur, ou rouvrez l’application.',
  },
  start_again: (client: Child) => phrase`Retournez à ${client} et recommencez.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'Le formulaire n’appartient pas à cette session. Ouvrez-le à nouveau.',
  session_form_back: 'Le formulaire n’appartient pas à cette session. Revenez en arrière et réessayez.',
  browser_form_open: 'Le formulaire n’appartient pas à ce navigateur. Ouvrez-le à nouveau.',
  browser_form_link: 'Le formulaire n’appartient pas à ce navigateur. Ouvrez à nouveau le lien.',
  browser_form_back: 'Le formulaire n’appartient pas à ce navigateur. Revenez en arrière et réessayez.',
  device_code: 'Le code a expiré ou a déjà reçu une réponse. Recommencez sur l’appareil.',
  sign_in_over:
    'Cette connexion est terminée ou a été commencée dans un autre navigateur. Retournez à l’application et recommencez.',
  not_pushed:
    'La request_uri est inconnue, expirée, déjà utilisée ou celle d’un autre client. Retournez à l’application et recommencez.',
  sign_in_done: 'Cette connexion est déjà terminée. Retournez à l’application.',
  no_cookie:
    'Le navigateur n’a envoyé aucun cookie : rien ne montre que cette connexion est la sienne. Autorisez les cookies pour cette adresse, retournez à l’application et recommencez.',
  no_passkeys: 'Il n’y a pas de clés d’accès là où l’émetteur est une adresse IP.',
  no_mail: 'Ce service n’envoie pas d’e-mail : demandez un lien à ses responsables.',
  setup_link:
    'Ce lien n’est pas valable, ou ne l’est plus. Tant que personne n’administre le service, son exploitant en crée un autre avec tessera setup --link.',
  upstreamInvitation:
    'Ce lien ne peut pas être utilisé, plus, ou pas dans ce navigateur. La personne qui l’a envoyé peut en créer un autre.',
  invitation:
    'Ce lien n’est pas valable, ou ne l’est plus. La personne qui vous a invité peut en envoyer un autre.',
  client: 'Le client_id manque ou est inconnu, ou le client est inactif.',
  document_unknown:
    'Aucun client n’est enregistré pour le document de {host}. Un administrateur l’enregistre : {command}',
  document_unread: 'Le document du client sur {host} est inutilisable : {reason}.',
  client_of_logout: 'Le client_id est inconnu, ou le client est inactif.',
  address_not_registered:
    'La {name} ne correspond exactement à aucune de celles enregistrées pour ce client.',
  hint_of_others: 'L’id_token_hint n’est pas un jeton d’identité de ce service.',
  hint_of_client: 'L’id_token_hint a été émis pour un autre client.',
  repeated: 'Le paramètre {name} est répété ; envoyez-le une seule fois.',
  too_long: 'Le paramètre {name} dépasse {count} caractères.',
  nul: 'Le paramètre {name} contient un caractère NUL.',
  utf8: 'Le paramètre {name} n’est pas de l’UTF-8 valide.',
  utf8_body: 'Le contenu n’est pas de l’UTF-8 valide.',
  too_many: 'La demande a plus de {count} paramètres.',
  objects: 'Le paramètre {name} n’est pas pris en charge ; envoyez les paramètres eux-mêmes.',
  purpose_of_page: 'Cette page ne sert pas à cela.',
  purpose_of_sign_in: 'Cette connexion ne sert pas à cela.',
  language: 'Il faut une langue qui existe, et un chemin de ce service où revenir.',
  nothing_here: 'Il n’y a rien à cette adresse. Les adresses sont dans /api/doc.',
  method: 'Cette adresse n’accepte pas {method} ; elle accepte {allowed}.',
  form_type: 'Le contenu doit être envoyé en application/x-www-form-urlencoded.',
  too_large: 'Le contenu est plus grand que ce que cette adresse accepte.',
  compressed: 'Le contenu est comprimé par Content-Encoding, ce qui n’est pas lu ici. Envoyez-le tel quel.',
  cookies_too_large: 'Les cookies pour {host} sont plus grands que ce que ce service lit.',
  headers_too_large: 'Les en-têtes sont trop grands.',
  malformed: 'La demande est mal formée.',
  permission_needed: 'La permission {name} est nécessaire pour cette adresse.',
  no_route: 'L’application n’a pas de route pour cette adresse.',
  misasked: 'Ce que demande le proxy ne peut pas recevoir de réponse ; le journal dit pourquoi.',
  sign_in_needed:
    'Personne n’est connecté, ou la connexion a pris fin. Ouvrez de nouveau la page pour vous connecter.',
  not_let_in: 'La connexion a été annulée, ou personne ne peut entrer par elle.',
  host: 'L’en-tête Host manque.',
  address_missing: 'La {name} manque.',
  expect: 'L’attente de l’en-tête Expect n’est pas connue ici.',
  authorization: 'L’en-tête Authorization a été envoyé plusieurs fois.',
  cut_off: 'La connexion a été fermée avant que sa demande soit lue.',
  often: 'Trop de demandes. Réessayez dans {seconds} s.',
  busy: 'Trop de personnes se connectent en même temps. Réessayez dans quelques secondes.',
  database: 'Le service n’atteint pas sa base de données. Réessayez dans quelques secondes.',
  full: 'Le disque de la base de données est plein ou en panne : rien n’a été modifié. Prévenez les personnes qui exploitent le service.',
  server: 'Une erreur s’est produite chez nous. Donnez le numéro de demande à l’exploitant.',
}
