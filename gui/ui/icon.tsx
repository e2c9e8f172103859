/** Paths on a grid of 24, drawn with a line. */
const PATHS = {
  overview: 'M4 5h7v6H4z M13 5h7v4h-7z M13 11h7v8h-7z M4 13h7v6H4z',
  folder: 'M3 6.5A1.5 1.5 0 0 1 4.5 5H9l2 2.5h8.5A1.5 1.5 0 0 1 21 9v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18z',
  device: 'M4 5h16v10H4z M2 19h20 M9 15v4 M15 15v4',
  changes: 'M12 7v5l3 2 M3.5 12a8.5 8.5 0 1 0 2.8-6.3 M3 4v4h4',
  log: 'M5 4h14v16H5z M8 8h8 M8 12h8 M8 16h5',
  settings: 'M4 7h9 M17 7h3 M4 17h3 M11 17h9 M15 5v4 M9 15v4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warning: 'M12 4l9 16H3z M12 10v4 M12 17v.5',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z M12 8v5 M12 16v.5',
  pause: 'M8 5v14 M16 5v14',
  play: 'M7 5l12 7-12 7z',
  down: 'M12 4v14 M6 12l6 6 6-6',
  up: 'M12 20V6 M6 12l6-6 6 6',
  sync: 'M4 12a8 8 0 0 1 14-5.3L20 9 M20 4v5h-5 M20 12a8 8 0 0 1-14 5.3L4 15 M4 20v-5h5',
  plus: 'M12 5v14 M5 12h14',
  minus: 'M6 12h12',
  close: 'M6 6l12 12 M18 6L6 18',
  more: 'M4.6 12h.8v.6h-.8z M11.6 12h.8v.6h-.8z M18.6 12h.8v.6h-.8z',
  chevron: 'M9 6l6 6-6 6',
  file: 'M6 3h8l4 4v14H6z M14 3v4h4',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1 M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z M16 16l4.5 4.5',
  copy: 'M8 8h11v12H8z M5 16V4h11',
  theme: 'M12 3a9 9 0 1 0 0 18z M12 3a9 9 0 0 1 0 18',
  language: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z M3 12h18 M12 3c3 3 3 15 0 18 M12 3c-3 3-3 15 0 18',
  offline: 'M4 4l16 16 M9 5.4A9 9 0 0 1 21 10 M3 10a12 12 0 0 1 3-2 M7 14a7 7 0 0 1 3-1.6 M12 18.5v.5',
  lock: 'M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  trash: 'M5 7h14 M9 7V4h6v3 M7 7l1 13h8l1-13',
  eye: 'M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6z M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z M12 7v5l3.5 2',
  first: 'M6 5h12 M12 20V9 M7 14l5-5 5 5',
  download: 'M12 4v10 M7.5 10l4.5 4.5 4.5-4.5 M5 19h14',
  leave: 'M14 4H5v16h9 M10 12h10 M16 8l4 4-4 4',
  keyboard: 'M3 7h18v10H3z M7 11h.01 M11 11h.01 M15 11h.01 M8 14h8',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7 M12 16.5v.5',
  power: 'M12 3v8 M6.5 6.5a8 8 0 1 0 11 0',
} as const

export type IconName = keyof typeof PATHS

/** An icon beside a text; hidden from screen readers because the text has the same meaning. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
