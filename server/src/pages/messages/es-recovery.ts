import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: '¿Ha olvidado la contraseña?',
    title: 'Contraseña olvidada',
    heading: 'Elegir una contraseña nueva',
    text: 'Introduzca la dirección de correo con la que inicia sesión. Recibirá un correo con un enlace para elegir una contraseña nueva.',
    submit: 'Enviar el enlace',
    sentHeading: 'Mire su correo',
    sent: (email) => phrase`Si existe una cuenta con ${email}, un correo con un enlace va de camino.`,
    good: 'El enlace sirve una vez, durante media hora.',
    goesOn:
      'El enlace sirve una vez, durante media hora. Ábralo en este navegador y el inicio de sesión seguirá donde estaba.',
    nothing: (again) =>
      phrase`¿No llega nada? Mire en el correo no deseado, compare la dirección o ${again}.`,
    again: 'pida que se envíe otra vez',
    back: 'Volver al inicio de sesión',
  },
  reset: {
    title: 'Elegir una contraseña nueva',
    heading: 'Elegir una contraseña nueva',
    lead: (account) => phrase`para la cuenta de ${account}`,
    ends: 'Después tendrá la sesión iniciada aquí y cerrada en todos los demás sitios.',
    factorLead: (account) =>
      phrase`Antes de elegir una contraseña nueva para ${account}, demuestre con su segundo factor que es usted.`,
    lost: 'Sin su segundo factor ni sus códigos de recuperación, pregunte a quienes gestionan este servicio.',
    password: 'Contraseña nueva',
    again: 'La contraseña nueva otra vez',
    submit: 'Guardar la contraseña',
    waysTitle: 'Elija cómo inicia sesión',
    passkeyText:
      'Una llave de acceso (passkey) la guarda este dispositivo o su gestor de contraseñas. Inicia sesión con el dedo, la cara o un PIN, sin recordar nada.',
    orPassword: 'O establecer una contraseña',
  },
  resetEnded: {
    title: 'Este enlace ya no sirve',
    heading: 'Este enlace ya no sirve',
    text: 'Un enlace para elegir una contraseña sirve una vez y por poco tiempo, y solo cuenta el más reciente.',
    ask: 'Pida otro a quienes gestionan este servicio.',
    again: 'Pedir un enlace nuevo',
  },
  newPassword: {
    title: 'Elegir su contraseña',
    heading: 'Elija su contraseña',
    lead: (client) => phrase`antes de continuar a ${client}`,
    text: 'Otra persona puso su contraseña actual. Elija una que solo usted conozca.',
    same: 'Esa es la contraseña que ya tiene. Elija otra.',
  },
}
