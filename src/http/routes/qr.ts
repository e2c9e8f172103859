import { messageOf } from '../../core/errors.ts'
import { PICTURE_ROUTES } from '../../rest/system-routes.ts'
import { text, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'

const MODULE_PIXELS = 8
/** The light border that a reader needs to find the code. */
const QUIET_MODULES = 4
/** The first word is the whole answer of Syncthing. */
const TOO_LONG = 'Invalid: the text does not fit into a QR code, which holds 2331 bytes at most'

/** A device id, or whatever else is to be carried over by a camera, as a picture. */
export function qrRoutes(): readonly Route[] {
  return bind(PICTURE_ROUTES, { 'GET /qr/': ({ query }) => picture(query.first('text') ?? '') })
}

async function picture(content: string): Promise<Reply> {
  const [{ encodeQR }, { encodePng }] = await Promise.all([import('qr'), import('../formats/png.ts')])
  try {
    const rows = encodeQR(content, 'raw', { ecc: 'medium', border: QUIET_MODULES })
    const at = (pixel: number) => Math.floor(pixel / MODULE_PIXELS)
    const body = encodePng(rows.length * MODULE_PIXELS, (x, y) => rows[at(y)]?.[at(x)] === true)
    return { status: 200, contentType: 'image/png', body }
  } catch (error) {
    if (messageOf(error) === 'Capacity overflow') return text(500, TOO_LONG)
    throw error
  }
}
