import { PICTURE_ROUTES } from '../../rest/system-routes.ts'
import { text, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

/** The quiet zone around the code. */
const QUIET_MODULES = 4
/** The first word is the whole reply of Syncthing. */
const TOO_LONG = 'Invalid: the text does not fit into a QR code, which holds 2331 bytes at most'

/** A text, such as a device id, as a QR code. */
export function qrRoutes(): readonly Route[] {
  return bind(PICTURE_ROUTES, { 'GET /qr/': ({ query }) => picture(query.first('text') ?? '') })
}

async function picture(content: string): Promise<Reply> {
  const [{ encodeQR }, { encodeModules }] = await Promise.all([import('qr'), import('../formats/png.ts')])
  let rows: boolean[][]
  try {
    rows = encodeQR(content, 'raw', { ecc: 'medium', border: QUIET_MODULES })
  } catch {
    return text(500, TOO_LONG) // the options are valid, so only the length is left
  }
  return { status: 200, contentType: 'image/png', body: encodeModules(rows) }
}
