/** The index ID that another device last announced, in hexadecimal. */
export const REMOTE_ID_KEY = 'remote-index-id/'
/** How far our index was sent to another device. */
export const SENT_KEY = 'sent/'

export function sentText(indexId: bigint, sequence: number): string {
  return `${indexId.toString(16)} ${sequence}`
}
