/** Four tiles of a mosaic, one of them just being set. Colours come from classes: the CSP allows no styles. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false">
      <rect class="tile" x="1" y="1" width="10" height="10" rx="2" />
      <rect class="tile" x="1" y="13" width="10" height="10" rx="2" />
      <rect class="tile" x="13" y="13" width="10" height="10" rx="2" />
      <rect
        class="tile-set"
        x="14.2"
        y="1.2"
        width="8.4"
        height="8.4"
        rx="1.8"
        transform="rotate(14 18.4 5.4)"
      />
    </svg>
  )
}

export function Wordmark() {
  return (
    <p class="wordmark">
      <Mark />
      <span translate="no">Tessera</span>
    </p>
  )
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">' +
  '<g fill="#1f5f58"><rect x="1" y="1" width="10" height="10" rx="2"/><rect x="1" y="13" width="10" height="10" rx="2"/>' +
  '<rect x="13" y="13" width="10" height="10" rx="2"/></g>' +
  '<rect x="14.2" y="1.2" width="8.4" height="8.4" rx="1.8" fill="#d0693f" transform="rotate(14 18.4 5.4)"/></svg>'

/** In the page itself, so that a browser never asks for /favicon.ico. */
export const faviconHref = `data:image/svg+xml,${encodeURIComponent(icon)}`
