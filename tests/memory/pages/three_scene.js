// uses: three/build/three.min.js
// Bullets of a game are hidden when they are gone, and stay in the scene.
const scene = new THREE.Scene();
const shape = new THREE.BoxGeometry(1, 1, 1);
class Bullet extends THREE.Mesh {
  constructor() {
    super(shape, new THREE.MeshBasicMaterial());
    this.trace = new Float32Array(300);
  }
}
window.round = async () => {
  const bullet = new Bullet();
  scene.add(bullet);
  scene.updateMatrixWorld();
  await nextFrame();
  bullet.visible = false;
  bullet.material.dispose();
  if (repaired) scene.remove(bullet);
};
