export { fileTypeFromBuffer } from 'file-type';
