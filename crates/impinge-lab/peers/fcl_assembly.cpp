// FCL on one assembly: which pairs of parts collide.
//
// Usage: fcl_assembly FILE, then a line on standard input for each round. A round rebuilds
// the models of all meshes, finds the pairs of parts with overlapping boxes by FCL's own tree of
// boxes, tests each pair for one contact, and prints one line:
//
//   seconds of CPU to build, seconds of CPU to test, pairs tested, pairs that collide, and these pairs
//
// The file is binary, little endian, as `impinge-lab assemblies` writes it:
//   u32 meshes, for each: u32 vertices, u32 triangles, f64[3] each vertex, u32[3] each triangle
//   u32 parts, for each: u32 mesh, f64[12] pose, row by row [R | t]
//
// Build, with the packages libfcl-dev, libccd-dev and libeigen3-dev of Debian or Ubuntu:
//
//   g++ -O3 -march=native -DNDEBUG fcl_assembly.cpp -I/usr/include/eigen3 -o fcl_assembly -lfcl -lccd

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

struct RawMesh {
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
};

struct Part {
    uint32_t mesh;
    fcl::Transform3d pose;
};

template <typename T> T read(std::ifstream& in) {
    T value;
    if (!in.read(reinterpret_cast<char*>(&value), sizeof value)) {
        std::fprintf(stderr, "fcl_assembly: the input file is truncated\n");
        std::exit(1);
    }
    return value;
}

struct Answers {
    size_t tested = 0;
    std::vector<std::pair<size_t, size_t>> collide;
};

bool test_pair(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
    auto* answers = static_cast<Answers*>(data);
    const fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    ++answers->tested;
    if (fcl::collide(a, b, request, result) > 0) {
        const size_t i = reinterpret_cast<size_t>(a->getUserData());
        const size_t j = reinterpret_cast<size_t>(b->getUserData());
        answers->collide.emplace_back(std::min(i, j), std::max(i, j));
    }
    return false;
}

int main(int argc, char** argv) {
    std::ifstream in(argc > 1 ? argv[1] : "", std::ios::binary);
    if (!in) {
        std::fprintf(stderr, "usage: fcl_assembly FILE\n");
        return 2;
    }
    std::vector<RawMesh> meshes(read<uint32_t>(in));
    for (RawMesh& mesh : meshes) {
        const uint32_t vertices = read<uint32_t>(in), triangles = read<uint32_t>(in);
        for (uint32_t i = 0; i < vertices; ++i) {
            const double x = read<double>(in), y = read<double>(in), z = read<double>(in);
            mesh.vertices.emplace_back(x, y, z);
        }
        for (uint32_t i = 0; i < triangles; ++i) {
            const uint32_t a = read<uint32_t>(in), b = read<uint32_t>(in), c = read<uint32_t>(in);
            mesh.triangles.emplace_back(a, b, c);
        }
    }
    std::vector<Part> parts(read<uint32_t>(in));
    for (Part& part : parts) {
        part.mesh = read<uint32_t>(in);
        part.pose.setIdentity();
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) part.pose.linear()(row, column) = read<double>(in);
            part.pose.translation()(row) = read<double>(in);
        }
    }

    std::string line;
    while (std::getline(std::cin, line)) {
        const std::clock_t start = std::clock();
        std::vector<std::shared_ptr<Model>> models;
        for (const RawMesh& mesh : meshes) {
            auto model = std::make_shared<Model>();
            model->beginModel(int(mesh.triangles.size()), int(mesh.vertices.size()));
            model->addSubModel(mesh.vertices, mesh.triangles);
            model->endModel();
            models.push_back(model);
        }
        std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
        fcl::DynamicAABBTreeCollisionManagerd manager;
        for (size_t i = 0; i < parts.size(); ++i) {
            objects.push_back(std::make_unique<fcl::CollisionObjectd>(models[parts[i].mesh], parts[i].pose));
            objects.back()->setUserData(reinterpret_cast<void*>(i));
            manager.registerObject(objects.back().get());
        }
        manager.setup();
        const std::clock_t built = std::clock();
        Answers answers;
        manager.collide(&answers, test_pair);
        const std::clock_t done = std::clock();
        const double build = double(built - start) / CLOCKS_PER_SEC;
        const double query = double(done - built) / CLOCKS_PER_SEC;
        std::printf("%.9f %.9f %zu %zu", build, query, answers.tested, answers.collide.size());
        for (const auto& pair : answers.collide) std::printf(" %zu:%zu", pair.first, pair.second);
        std::printf("\n");
        std::fflush(stdout);
    }
}
