export { fileTypeFromBuffer, fileTypeFromStream } from 'file-type';
