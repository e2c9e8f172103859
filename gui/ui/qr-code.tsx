import { useEffect, useState } from 'preact/hooks'

/** The quiet zone around the code. */
const QUIET_MODULES = 4

/** A text as a QR code. It is drawn here: a password is not sent for it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    import('qr')
      .then(({ encodeQR }) => setRows(encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_MODULES })))
      .catch(() => setRows([])) // the text stands beside it
  }, [text])
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}
