declare module "bundled:*" {
  const source: string;
  export default source;
}
