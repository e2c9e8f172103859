/** Why two devices do not exchange a folder: its encryption is configured differently on them. */

/** How the settings of both ends contradict each other. */
export type RefusalCode =
  /** The device is untrusted and would get plain data. */
  | 'plain-for-untrusted'
  /** The data here is encrypted, and a password is set. */
  | 'already-encrypted'
  /** The device holds encrypted data and encrypts for us. */
  | 'both-encrypted'
  /** A password is set here; the device has plain data. */
  | 'plain-there'
  /** The data here is encrypted; the device sends plain data. */
  | 'plain-sent'
  /** The data here is plain; the device exchanges encrypted data. */
  | 'encrypted-there'
  | 'other-password'
  /** The device sent what is no token. */
  | 'malformed-token'
  /** Reported by the device: it takes us for untrusted, and would send plain data. */
  | 'untrusted-there'

const HERE = 'local data is encrypted (folder-type receive-encrypted)'
const PLAIN_FOR_UNTRUSTED = 'device is untrusted, but configured to receive plain data'

/** Refusals of one folder: it is not exchanged, and the connection goes on. */
export function isOfFolderOnly(code: RefusalCode): boolean {
  return code === 'malformed-token'
}

/** By code: the text that Syncthing sends, and what to do. */
export const REFUSALS: Readonly<Record<RefusalCode, { readonly reason: string; readonly remedy: string }>> = {
  'plain-for-untrusted': {
    reason: PLAIN_FOR_UNTRUSTED,
    remedy: 'Set a password for the device in the folder, or no longer mark the device as untrusted.',
  },
  'already-encrypted': {
    reason: `can't encrypt outgoing data because ${HERE}`,
    remedy: 'Remove the password of the device from the folder: the data here is encrypted already.',
  },
  'both-encrypted': {
    reason: 'remote has encrypted data and encrypts that data for us - this is impossible',
    remedy: 'On the other device, remove the password for this device from the folder.',
  },
  'plain-there': {
    reason: `remote expects to exchange plain data, but ${HERE}`,
    remedy:
      'On the other device, remove the folder and accept it again, as an encrypted one; or remove the password here.',
  },
  'plain-sent': {
    reason: 'remote expects to exchange plain data, but is configured to be encrypted',
    remedy: 'On the other device, set a password for this device in the folder.',
  },
  'encrypted-there': {
    reason: 'remote expects to exchange encrypted data, but is configured for plain data',
    remedy:
      'To keep the files readable here, set the password for the device in the folder. ' +
      'To store them encrypted, remove the folder and accept it again, as an encrypted one.',
  },
  'other-password': {
    reason: 'different encryption passwords used',
    remedy:
      'Set the same password on all devices that can read the folder. ' +
      'To change it, remove the folder and its files on the untrusted device and accept it there again.',
  },
  'malformed-token': {
    reason: 'the token that shows the password has a wrong length',
    remedy: 'Only this folder is not exchanged. Update the other device, or remove it here if you do not trust it.',
  },
  'untrusted-there': {
    reason: PLAIN_FOR_UNTRUSTED,
    remedy: 'On the other device, set a password for this device in the folder, or trust this device there.',
  },
}

/** What a reason that the other device gave means for this one; undefined for another reason. */
export function refusalIn(text: string): RefusalCode | undefined {
  if (text.includes(REFUSALS['plain-for-untrusted'].reason)) return 'untrusted-there'
  if (text.includes(REFUSALS['plain-sent'].reason)) return 'encrypted-there'
  const codes = ['other-password', 'plain-there', 'encrypted-there', 'already-encrypted', 'both-encrypted'] as const
  return codes.find((code) => text.includes(REFUSALS[code].reason))
}
