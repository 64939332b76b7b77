// Serves the buttons that need a script: they show what a password field holds, and copy a text.
for (const button of document.querySelectorAll('[data-reveals]')) {
  const field = document.getElementById(button.dataset.reveals)
  const reveal = (shown) => {
    field.type = shown ? 'text' : 'password'
    button.textContent = shown ? button.dataset.hide : button.dataset.show
  }
  button.hidden = false
  button.onclick = () => reveal(field.type === 'password')
  // Password managers look for a field of that type.
  field.form.addEventListener('submit', () => reveal(false))
}
for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = !navigator.clipboard
  button.onclick = () =>
    navigator.clipboard.writeText(button.dataset.copies).then(() => {
      button.textContent = button.dataset.done
    })
}
