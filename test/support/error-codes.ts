/** Errors of the system that a disk call can fail with (C-07), except for a full disk. */
export const ERROR_CODES = [
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'ETXTBSY',
  'ENAMETOOLONG',
  'ELOOP',
  'ESTALE',
  'EXDEV',
  'EDQUOT',
] as const
