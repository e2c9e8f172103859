const DEVICE_ID = /\b[A-Z2-7]{7}(?:-[A-Z2-7]{7}){7}\b/g
const ID_LENGTH = 63
const SHORT_LENGTH = 7
const NAME_LENGTH_MAX = 64

/**
 * A text with the IDs of known devices replaced by their names and the first group of the ID. `nameOf` is undefined for
 * a device whose whole ID is needed: an unknown one, and this device.
 */
export function nameDevices(text: string, nameOf: (id: string) => string | undefined): string {
  if (text.length < ID_LENGTH) return text
  return text.replace(DEVICE_ID, (id) => {
    const name = nameOf(id)
    if (name === undefined) return id
    const short = id.slice(0, SHORT_LENGTH)
    return name === '' ? short : `${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))} (${short})`
  })
}
