declare module "bundled:*" {
  const source: string;
  export default source;
}
declare module "packed:*" {
  const source: string;
  export default source;
}
