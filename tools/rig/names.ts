/** Folders without a particular state: most of what a device has. */
export const PLAIN = (
  'Photos Documents Music Videos Projects Recipes Invoices Letters Scans Backups Notes Books Papers Maps Fonts Icons ' +
  'Wallpapers Podcasts Sketches Templates Camera Downloads صور תמונות 家族の写真'
).split(' ')

export const PAUSED = ['Old laptop', 'Tax 2019', 'Tax 2020', 'Tax 2021', 'Tax 2022', 'Tax 2023', 'Tax 2024']

/** Never connected: nothing listens at their addresses. */
export const OFFLINE_NAMES = [
  'phone',
  'tablet',
  'studio',
  'office',
  'cabin',
  'server',
  'mother',
  'father',
  'anna',
  'ben',
  'צליל',
]

/** Names that a careless page would run, reverse, break or overflow with. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>.txt',
  'invoice\u202Efdp.exe',
  'zero\u200Bwidth\u2060.txt',
  'line\nbreak.txt',
  'tab\there.txt',
  'bell\u0007.txt',
  '&amp; "quotes" \'single\'.txt',
  'עברית.txt',
  'عربي ٢٠٢٦.txt',
  '表ポあA鷗ŒéＢ逍Üßªąñ丂㐀𠀀.txt',
  '👩‍👩‍👧‍👦 family.jpg',
  `${'long '.repeat(40)}.txt`,
]

/** A folder id from a label. */
export function idFor(label: string, at: number): string {
  const plain = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return plain.replaceAll('-', '') === '' ? `folder-${at}` : plain
}
