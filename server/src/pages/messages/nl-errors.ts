import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Dit soort verzoek wordt niet ondersteund',
  text: 'De toepassing heeft haar verzoek verpakt op een manier die deze dienst niet leest.',
  next: 'Waarschuw de beheerders van de toepassing. Zij moet de parameters zelf sturen, zonder request en request_uri.',
}

export const errors: typeof english = {
  invalid_client: {
    heading: 'Deze toepassing is hier niet bekend',
    text: 'De toepassing waar u vandaan komt, is niet geregistreerd of is uitgeschakeld.',
    next: 'Waarschuw de beheerders van de toepassing. Zij moeten de client_id controleren en of de client actief is.',
  },
  invalid_redirect_uri: {
    heading: 'Het retouradres is niet geregistreerd',
    text: 'De toepassing wilde u naar een adres sturen dat niet voor haar geregistreerd is. Voor uw veiligheid gaat het hier niet verder.',
    next: 'Waarschuw de beheerders van de toepassing. Het adres moet teken voor teken gelijk zijn aan een geregistreerd adres.',
  },
  invalid_request: {
    heading: 'Het verzoek is ongeldig',
    text: 'In dit verzoek ontbreekt iets, of er klopt iets niet.',
    next: 'Ga terug naar de toepassing en begin opnieuw. Gebeurt het weer, waarschuw dan de beheerders van de toepassing.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'Deze aanmelding is voorbij',
    text: 'Ze duurde te lang, was al voltooid of is in een andere browser begonnen.',
    next: 'Ga terug naar de toepassing en begin opnieuw.',
  },
  setup_link_ended: {
    heading: 'Deze link kan niet worden gebruikt',
    text: 'Hij is al gebruikt, ouder dan een uur of onvolledig, of iemand beheert deze installatie inmiddels.',
    next: 'Controleer of u de hele link hebt geopend. Vraag anders de beheerders van deze dienst om een nieuwe.',
  },
  upstream_invitation_ended: {
    heading: 'Deze installatielink kan niet worden gebruikt',
    text: 'Hij is afgelopen, is in een andere browser geopend of is onvolledig. Of wie hem stuurde mag hem niet meer geven.',
    next: 'Ga verder in de browser waarin u begon. Vraag anders een nieuwe aan wie hem stuurde.',
  },
  invitation_ended: {
    heading: 'Deze uitnodiging kan niet worden gebruikt',
    text: 'Ze is al gebruikt, ingetrokken of vervangen door een nieuwere, of de link is onvolledig.',
    next: 'Controleer of u de hele link van het nieuwste bericht hebt geopend. Vraag anders degene die u heeft uitgenodigd om een andere.',
  },
  managed_by_file: {
    heading: 'Dit wordt elders bepaald',
    text: 'Een bestand van de beheerders van deze dienst zegt wat u hier mag. Er is niets gewijzigd.',
    next: 'Vraag het aan degene die u heeft uitgenodigd, of aan de beheerders van deze dienst.',
  },
  sign_in_required: {
    heading: 'Uw aanmelding is beëindigd',
    text: 'U bent niet aangemeld bij deze toepassing, of uw aanmelding is beëindigd. Wat u hebt gestuurd, is niet aangekomen.',
    next: 'Open de toepassing in een ander tabblad en meld u daar aan. Ga dan terug en stuur het nog eens.',
  },
  permission_missing: {
    heading: 'Dit mag u niet',
    text: 'Wat u in deze toepassing mag doen, hangt af van uw rol.',
    next: 'Vraag het de beheerders van uw organisatie. Hebt u ook een andere rol, meld u dan af bij de toepassing en kies die.',
  },
  forward_auth_refused: {
    heading: 'Dit adres kan niet worden geopend',
    text: 'De toepassing laat niemand dit adres openen, of het kon niet worden gecontroleerd.',
    next: 'Controleer het adres. Zou het moeten werken, vertel het dan de beheerders van de toepassing.',
  },
  access_denied: {
    heading: 'U bent niet aangemeld',
    text: 'De aanmelding is geannuleerd, of geen van uw rollen opent deze toepassing.',
    next: 'Open de toepassing opnieuw. Zou u toegang moeten hebben, vraag het dan de beheerders van uw organisatie.',
  },
  form_expired: {
    heading: 'Dit formulier is verlopen',
    text: 'De pagina stond te lang open, of de browser heeft geen cookies gestuurd. Er is niets gewijzigd.',
    next: 'Ga terug, laad de pagina opnieuw en probeer het nog eens. Cookies moeten voor deze site zijn toegestaan.',
  },
  not_found: {
    heading: 'Pagina niet gevonden',
    text: 'Op dit adres is niets.',
    next: 'Controleer het adres, of ga terug naar de toepassing waar u vandaan komt.',
  },
  method_not_allowed: {
    heading: 'Zo kan dit adres niet worden gebruikt',
    text: 'Het adres bestaat, maar antwoordt niet op dit soort verzoek.',
    next: 'Ga terug naar de toepassing waar u vandaan komt en begin opnieuw.',
  },
  too_many_requests: {
    heading: 'Te veel verzoeken',
    text: 'Er kwamen in korte tijd meer verzoeken dan is toegestaan.',
    next: 'Wacht even en probeer het dan opnieuw.',
  },
  temporarily_unavailable: {
    heading: 'Op dit moment niet beschikbaar',
    text: 'De dienst is overbelast of in onderhoud.',
    next: 'Probeer het over een paar minuten opnieuw.',
  },
  server_error: {
    heading: 'Er ging bij ons iets mis',
    text: 'Het verzoek kon niet worden voltooid. Het lag niet aan u.',
    next: 'Probeer het opnieuw. Gebeurt het weer, geef de helpdesk dan het verzoeknummer hieronder.',
  },
}

export const situations = {
  no_cookies: {
    heading: 'Uw browser heeft geen cookies gestuurd',
    text: 'Zonder cookies kan deze dienst niet zien dat een aanmelding van u is. Misschien blokkeert uw browser ze, of is deze pagina in een andere browser geopend.',
    next: 'Sta cookies toe voor dit adres. Ga dan terug naar de toepassing en begin opnieuw.',
  },
  too_many_cookies: {
    heading: 'Uw browser stuurt te veel cookies',
    text: 'Hij heeft voor dit adres meer cookies dan deze dienst leest. De meeste komen van andere diensten op hetzelfde adres.',
    next: 'Verwijder de cookies van dit adres in de instellingen van uw browser en open de pagina opnieuw.',
  },
  no_redirect_uri: {
    heading: 'Het retouradres ontbreekt',
    text: 'De toepassing heeft niet gezegd waarheen het na het aanmelden gaat.',
    next: 'Waarschuw de beheerders van de toepassing. Zij moeten een geregistreerd adres als redirect_uri sturen.',
  },
  signed_in: {
    heading: 'U bent aangemeld',
    text: (client: Child) =>
      phrase`Uw aanmelding bij ${client} is klaar. Op deze pagina valt niets meer te doen.`,
    next: 'Ga vooruit in uw browser, of open de toepassing opnieuw.',
  },
  start_again: (client: Child) => phrase`Ga terug naar ${client} en begin opnieuw.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'Het formulier hoort niet bij deze sessie. Open het opnieuw.',
  session_form_back: 'Het formulier hoort niet bij deze sessie. Ga terug en probeer het opnieuw.',
  browser_form_open: 'Het formulier hoort niet bij deze browser. Open het opnieuw.',
  browser_form_link: 'Het formulier hoort niet bij deze browser. Open de link opnieuw.',
  browser_form_back: 'Het formulier hoort niet bij deze browser. Ga terug en probeer het opnieuw.',
  device_code: 'De code is verlopen of al beantwoord. Begin opnieuw op het apparaat.',
  sign_in_over:
    'Deze aanmelding is voorbij of werd in een andere browser begonnen. Ga terug naar de applicatie en begin opnieuw.',
  not_pushed:
    'De request_uri is onbekend, verlopen, al gebruikt of van een andere client. Ga terug naar de applicatie en begin opnieuw.',
  sign_in_done: 'Deze aanmelding is al klaar. Ga terug naar de applicatie.',
  no_cookie:
    'De browser heeft geen cookie gestuurd, dus niets toont dat deze aanmelding van hem is. Sta cookies toe voor dit adres, ga terug naar de applicatie en begin opnieuw.',
  no_passkeys: 'Waar de issuer een IP-adres is, zijn er geen passkeys.',
  no_mail: 'Deze dienst verstuurt geen e-mail: vraag de beheerders om een link.',
  setup_link:
    'Deze link geldt niet, of niet meer. Zolang niemand de dienst beheert, maakt de beheerder een andere met tessera setup --link.',
  upstreamInvitation:
    'Deze link kan niet, niet meer of niet in deze browser worden gebruikt. Wie hem stuurde kan een andere maken.',
  invitation: 'Deze link geldt niet, of niet meer. Wie u heeft uitgenodigd, kan een andere sturen.',
  client: 'De client_id ontbreekt of is onbekend, of de client is uitgeschakeld.',
  document_unknown:
    'Voor het document op {host} is geen client geregistreerd. Een beheerder registreert het: {command}',
  document_unread: 'Het document van de client op {host} is niet te gebruiken: {reason}.',
  client_of_logout: 'De client_id is onbekend, of de client is uitgeschakeld.',
  address_not_registered: 'De {name} is niet precies een die voor deze client geregistreerd is.',
  hint_of_others: 'De id_token_hint is geen ID-token van deze dienst.',
  hint_of_client: 'De id_token_hint werd voor een andere client uitgegeven.',
  repeated: 'De parameter {name} komt meermaals voor; stuur hem één keer.',
  too_long: 'De parameter {name} is langer dan {count} tekens.',
  nul: 'De parameter {name} bevat een NUL-teken.',
  utf8: 'De parameter {name} is geen geldige UTF-8.',
  utf8_body: 'De inhoud is geen geldige UTF-8.',
  too_many: 'Het verzoek heeft meer dan {count} parameters.',
  objects: 'De parameter {name} wordt niet ondersteund; stuur de parameters zelf.',
  purpose_of_page: 'Daarvoor dient deze pagina niet.',
  purpose_of_sign_in: 'Daarvoor dient deze aanmelding niet.',
  language: 'Nodig zijn een taal die er is en een pad van deze dienst om naar terug te gaan.',
  nothing_here: 'Op dit adres is niets. De adressen staan in /api/doc.',
  method: 'Dit adres neemt {method} niet aan; wel {allowed}.',
  form_type: 'De inhoud moet als application/x-www-form-urlencoded worden gestuurd.',
  too_large: 'De inhoud is groter dan dit adres aanneemt.',
  compressed:
    'De inhoud is gecomprimeerd met Content-Encoding, wat hier niet gelezen wordt. Stuur hem zoals hij is.',
  cookies_too_large: 'De cookies voor {host} zijn groter dan deze dienst leest.',
  headers_too_large: 'De headers zijn te groot.',
  malformed: 'Het verzoek is onjuist opgebouwd.',
  permission_needed: 'Voor dit adres is de machtiging {name} nodig.',
  no_route: 'De toepassing heeft geen route voor dit adres.',
  misasked: 'Wat de proxy vraagt, kan niet worden beantwoord; het logboek zegt waarom.',
  sign_in_needed:
    'Niemand is aangemeld, of de aanmelding is beëindigd. Open de pagina opnieuw om u aan te melden.',
  not_let_in: 'De aanmelding is geannuleerd, of niemand mag ermee binnen.',
  host: 'De header Host ontbreekt.',
  address_missing: 'De {name} ontbreekt.',
  expect: 'De verwachting in de header Expect is hier niet bekend.',
  authorization: 'De header Authorization werd meer dan één keer gestuurd.',
  cut_off: 'De verbinding werd gesloten voordat het verzoek gelezen was.',
  often: 'Te veel verzoeken. Probeer het over {seconds} s opnieuw.',
  busy: 'Te veel mensen melden zich tegelijk aan. Probeer het over een paar seconden opnieuw.',
  database: 'De dienst bereikt zijn database niet. Probeer het over een paar seconden opnieuw.',
  full: 'De schijf van de database is vol of werkt niet: er is niets gewijzigd. Waarschuw de mensen die de dienst beheren.',
  server: 'Er ging bij ons iets mis. Noem de beheerder het nummer van het verzoek.',
}
