import { PICTURE_ROUTES } from '../rest/system-routes.ts'
import { text, type Reply } from './reply.ts'
import { bind, type Route } from './route.ts'

const MODULE_PIXELS = 8
/** The light border that a reader needs to find the code. */
const QUIET_MODULES = 4

/** A device id, or whatever else is to be carried over by a camera, as a picture. */
export function qrRoutes(): readonly Route[] {
  return bind(PICTURE_ROUTES, { 'GET /qr/': ({ query }) => picture(query.first('text') ?? '') })
}

async function picture(content: string): Promise<Reply> {
  const [{ encodeQr }, { encodePng }] = await Promise.all([import('../core/qr.ts'), import('./png.ts')])
  const code = encodeQr(content)
  if (code === undefined) return text(500, 'Invalid')
  const place = (pixel: number) => Math.floor(pixel / MODULE_PIXELS) - QUIET_MODULES
  const isInside = (module: number) => module >= 0 && module < code.size
  const body = encodePng(
    (code.size + 2 * QUIET_MODULES) * MODULE_PIXELS,
    (x, y) => isInside(place(x)) && isInside(place(y)) && code.isDark(place(x), place(y)),
  )
  return { status: 200, contentType: 'image/png', body }
}
