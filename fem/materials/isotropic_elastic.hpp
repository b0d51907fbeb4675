// Hooke's law for small strains, in 3D, plane strain, plane stress and axisymmetry.
#pragma once

#include "fem/cells/geometry.hpp"

namespace trestle::fem {

/// Displacement of `dim` components. sigma = lambda tr(eps) I + 2 mu eps of the elastic strain
/// eps = sym(grad u) - alpha (T - T_ref) I [Hughes 2000, sec. 2.7]; plane stress by its reduced
/// lambda. T as in tensor.hpp.
template <int dim, class T = double>
struct IsotropicElastic {
  template <class Other>
  using In = IsotropicElastic<dim, Other>;
  static constexpr bool linear = true, symmetric = true;
  static constexpr int n_components = dim;
  static constexpr int n_flux = 6;
  static constexpr int max_nodes = dim == 2 ? 9 : 27;
  static constexpr int n_parameters =
      3;  // Young's modulus [Pa], Poisson's ratio, 1 for plane stress else 0
  using Flux = BasicMat3<T>;

  T lambda;  // reduced in plane stress [Pa]
  T mu;      // [Pa]
  bool plane_stress;
  T poisson;

  TRESTLE_KERNEL explicit IsotropicElastic(const T* parameters)
      : plane_stress(is_set(parameters[2])), poisson(parameters[1]) {
    const T young = parameters[0];
    mu = young / (2 * (1 + poisson));
    lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    if (plane_stress) lambda = 2 * mu * lambda / (lambda + 2 * mu);
  }

  /// Stress of nodal displacements [node, dim] [m] with the free thermal strain alpha (T - T_ref)
  /// [Pa].
  TRESTLE_KERNEL Flux flux(const BasicShape<T>* shape, int n_nodes, const T* u, T thermal) const {
    return stress(strain(shape, n_nodes, u), thermal);
  }
  /// Strain, tensor components; eps_zz is the hoop strain in axisymmetry and 0 in plane models.
  TRESTLE_KERNEL static BasicMat3<T> strain(const BasicShape<T>* shape, int n_nodes, const T* u) {
    BasicMat3<T> grad{};
    for (int a = 0; a < n_nodes; ++a) {
      BasicVec3<T> ua{};
      for (int d = 0; d < dim; ++d) ua[d] = u[a * dim + d];
      grad += outer(ua, shape[a].grad);
      if (dim == 2) grad(2, 2) += ua[0] * shape[a].hoop;
    }
    return sym(grad);
  }
  /// The strain in results: in plane stress with eps_zz = thermal - nu/(1-nu) (eps_xx + eps_yy - 2
  /// thermal).
  TRESTLE_KERNEL BasicMat3<T> full_strain(BasicMat3<T> strain, T thermal) const {
    if (plane_stress)
      strain(2, 2) =
          thermal - poisson / (1 - poisson) * (strain(0, 0) + strain(1, 1) - 2 * thermal);
    return strain;
  }
  TRESTLE_KERNEL BasicMat3<T> stress(const BasicMat3<T>& strain, T thermal) const {
    BasicMat3<T> elastic = strain;
    for (int d = 0; d < 3; ++d) elastic(d, d) -= thermal;
    if (plane_stress) elastic(2, 2) = 0;
    const T pressure = lambda * trace(elastic);
    BasicMat3<T> sigma = elastic * (2 * mu);
    for (int d = 0; d < 3; ++d) sigma(d, d) += pressure;
    if (plane_stress) sigma(2, 2) = 0;
    return sigma;
  }
  /// d(force on a) / d u_b, [dim, dim]: lambda div_a (x) div_b + mu (grad_b (x) grad_a + grad_a .
  /// grad_b I).
  TRESTLE_KERNEL void tangent(const BasicShape<T>& a, const BasicShape<T>& b, T dv,
                              T* block) const {
    const BasicVec3<T> div_a = divergence(a), div_b = divergence(b);
    const T shear = dot(a.grad, b.grad);
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        block[i * dim + j] += dv * (lambda * div_a[i] * div_b[j] + mu * a.grad[j] * b.grad[i] +
                                    (i == j ? mu * shear : T(0.0)));
    if (dim == 2) block[0] += dv * 2 * mu * a.hoop * b.hoop;
  }
  TRESTLE_KERNEL static void project(const Flux& sigma, const BasicShape<T>& a, T dv, T* force) {
    const BasicVec3<T> f = sigma * a.grad;
    for (int i = 0; i < dim; ++i) force[i] += dv * f[i];
    if (dim == 2) force[0] += dv * sigma(2, 2) * a.hoop;
  }
  /// Stress in VTK's order xx yy zz xy yz xz [Pa].
  TRESTLE_KERNEL static void store(const Flux& sigma, T* values) {
    values[0] = sigma(0, 0), values[1] = sigma(1, 1), values[2] = sigma(2, 2);
    values[3] = sigma(0, 1), values[4] = sigma(1, 2), values[5] = sigma(0, 2);
  }

 private:
  TRESTLE_KERNEL static BasicVec3<T> divergence(const BasicShape<T>& a) {
    BasicVec3<T> d = a.grad;
    d[0] += a.hoop;
    return d;
  }
};

}  // namespace trestle::fem
