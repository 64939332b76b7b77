/** Drawn here: each is a path of a few strokes. */
const paths = {
  overview: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  applications: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.4a3.5 3.5 0 0 1 0 6.2M18 14.6c2.100.9 3.500 2.800 3.500 5.400',
  access: 'M14.500 13a5 5 0 1 0-4.700-3.300L3 16.500V20h3.500v-2.500H9V15l1.800-1.800M16 7.500h.01',
  audit: 'M6 3.500h12v17H6zM9 8h6M9 12h6M9 16h3.500',
  organisations: 'M9 4h6v5H9zM3 15h6v5H3zM15 15h6v5h-6zM12 9v3M6 15v-3h12v3',
  upstreams: 'M14 4h6v16h-6M4 12h11M11 8l4 4-4 4',
  roles: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 11.5l2 2 4-4',
  services: 'M4 4h16v6H4zM4 14h16v6H4zM7.5 7h.01M7.5 17h.01',
  declared: 'M13 3.500H6v17h12v-12zM13 3.500v5h5M9 13h6M9 16.500h4',
  webhooks: 'M12 3v5M12 16v5M5 8h14v8H5zM8.5 12h.01M12 12h.01M15.5 12h.01',
  mails: 'M3.5 6h17v12h-17zM4 6.500l8 6 8-6',
  keys: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l8-8M16 7l3 3',
  policy: 'M5 11h14v9H5zM8.5 11V8a3.500 3.500 0 0 1 7 0v3M12 14.5v2',
  branding: 'M4 20c3 0 5-1 5-3.500a2.500 2.500 0 1 0-5 0zM8.500 13.500L18 4l2 2-9.500 9.500',
  installation:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  below: 'M9 6l6 6-6 6',
  download: 'M12 4v11M7.500 10.500L12 15l4.500-4.500M5 20h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  holds: 'M5 12.500l4.500 4.500L19 7.500',
  fails: 'M6.500 6.500l11 11M17.500 6.500l-11 11',
  search: 'M10.5 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500l4.500 4.500',
  more: 'M8 9.500l4-4 4 4M8 14.500l4 4 4-4',
}

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}

/** The mark of the service's pages. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <rect className="tile" x="1" y="1" width="10" height="10" rx="2" />
      <rect className="tile" x="1" y="13" width="10" height="10" rx="2" />
      <rect className="tile" x="13" y="13" width="10" height="10" rx="2" />
      <rect
        className="tile-set"
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
